"""Calls against a real server."""

from __future__ import annotations

import time

import chess
import grpc
import pytest

from conftest import Server
from tabiya import Client, DeadlineExceeded, InvalidArgument, RetryPolicy, Unavailable, v1


def test_legal_moves_are_those_of_python_chess(client: Client) -> None:
    board = chess.Board("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
    for _ in range(20):
        answer = client.legal_moves(board, include_fen=True)
        assert {move.uci for move in answer.moves} == {move.uci() for move in board.legal_moves}
        assert {move.san for move in answer.moves} == {board.san(move) for move in board.legal_moves}
        move = sorted(board.legal_moves, key=str)[len(board.move_stack) % board.legal_moves.count()]
        board.push(move)
        assert board.fen() in {each.fen for each in answer.moves if each.uci == move.uci()}


def test_the_history_goes_along(client: Client) -> None:
    board = chess.Board()
    for move in ("Nf3", "Nf6", "Ng1", "Ng8") * 2:
        board.push_san(move)
    assert client.legal_moves(board).repetition_count == 3
    assert client.legal_moves(board.fen()).repetition_count == 1


def test_chess960_castling(client: Client) -> None:
    board = chess.Board("1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1", chess960=True)
    board.push_uci("e1g1")
    board.push_uci("e8b8")
    answer = client.legal_moves(board)
    assert {move.uci for move in answer.moves} == {board.uci(move) for move in board.legal_moves}


def test_moves_in_three_notations(client: Client) -> None:
    played = client.play_moves(["e4", "e5", "Nf3"])
    assert [move.uci for move in played.moves] == ["e2e4", "e7e5", "g1f3"]
    assert played.moves[2].chinese.startswith("马")


def test_perft(client: Client) -> None:
    assert client.perft(4).nodes == 197_281


def test_a_best_move(client: Client) -> None:
    mate = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    answer = client.best_move(mate, depth=4)
    assert answer.best_move == "a1a8" and answer.lines[0].score.mate_in == 1


def test_a_deadline_is_a_limit(client: Client) -> None:
    answer = client.best_move(timeout=2.0)
    assert answer.best_move and answer.stopped_by == v1.STOPPED_BY_DEADLINE
    with pytest.raises(InvalidArgument):
        client.best_move()


def test_an_analysis_reports_each_iteration(client: Client) -> None:
    reports = list(client.analyse(depth=5))
    assert [report.depth for report in reports][-1] == 5
    assert reports[-1].stopped_by == v1.STOPPED_BY_DEPTH


def test_values_of_positions(client: Client) -> None:
    boards = [chess.Board(), chess.Board("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")]
    pair = client.evaluate(boards)
    assert [client.evaluate([board])[0] for board in boards] == pair
    assert pair[1].score.centipawns > pair[0].score.centipawns
    # More than fit into one message.
    assert client.evaluate([boards[1]] * 2_500) == [pair[1]] * 2_500


def test_a_ruling(client: Client) -> None:
    decided = client.adjudicate(chess.Board("7k/5KQ1/8/8/8/8/8/8 b - - 0 1"))
    assert decided.status == v1.GAME_STATUS_DECIDED and decided.result == v1.GAME_RESULT_WHITE_WINS
    assert client.adjudicate(pgn="1. e4 e5 *").status == v1.GAME_STATUS_ONGOING
    proof = client.prove_mate("8/8/4k3/8/8/3K4/8/8 w - - 0 1", v1.COLOR_WHITE)
    assert proof.verdict == v1.MATE_VERDICT_NO
    assert {each.id for each in client.rulesets().rulesets} >= {"fide-2023", "cn-classic"}
    assert client.compare_rulings(["fide-2023", "cn-classic"], pgn="1. e4 e5 *").answers
    with pytest.raises(ValueError, match="not both"):
        client.adjudicate(chess.Board(), pgn="1. e4 *")


def test_a_wrong_request_is_told_where(client: Client) -> None:
    with pytest.raises(InvalidArgument) as refused:
        client.legal_moves("8/8/8/8/8/8/8/8 w - - 0 1")
    error = refused.value
    assert isinstance(error, ValueError) and error.code is grpc.StatusCode.INVALID_ARGUMENT
    assert len(error.violations) >= 2
    assert all(violation.field == "position.fen" for violation in error.violations)
    assert str(error).count("position.fen") >= 2


def test_nobody_there(free_port: int) -> None:
    policy = RetryPolicy(attempts=3, first_pause=0.01)
    with Client(f"127.0.0.1:{free_port}", retries=policy) as client:
        with pytest.raises(Unavailable):
            client.legal_moves()
        assert client.statistics.retries == 2


def test_a_call_ends_with_its_time(silent: str) -> None:
    begun = time.monotonic()
    with Client(silent, timeout=0.3) as client, pytest.raises((DeadlineExceeded, Unavailable)):
        client.legal_moves()
    # Generous: machines are loaded.
    assert time.monotonic() - begun < 30


def test_the_engine_says_what_it_is(client: Client) -> None:
    info = client.engine_info()
    assert info.version and info.networks[0].hash


def test_a_list_of_endpoints(server: Server) -> None:
    other = Server()
    try:
        with Client([server.address, other.address]) as client:
            for _ in range(20):
                assert len(client.legal_moves().moves) == 20
    finally:
        other.kill()
