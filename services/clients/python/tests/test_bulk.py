"""Streams against a real server."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator

import chess
import pytest

from conftest import Server
from tabiya import Client, InvalidArgument, RetryPolicy, Unavailable, row, v1

BAD = "8/8/8/8/8/8/8/8 w - - 0 1"


def line() -> list[chess.Board]:
    """The positions of a short game."""
    board = chess.Board()
    boards = [board.copy()]
    for move in ("e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O", "Be7"):
        board.push_san(move)
        boards.append(board.copy())
    return boards


def test_answers_are_those_of_single_calls(client: Client) -> None:
    boards = line()
    answers = list(client.analyse_many(boards, nodes=500, ordered=True))
    assert [answer.index for answer in answers] == list(range(len(boards)))
    for answer, board in zip(answers, boards, strict=True):
        alone = client.best_move(board, nodes=500)
        assert answer.item is board
        assert answer.result().best_move == alone.best_move
        assert answer.result().lines[0].score == alone.lines[0].score


def test_along_a_game(client: Client) -> None:
    boards = line()
    answers = sorted(client.analyse_many(boards, nodes=500, along_game=True), key=lambda answer: answer.index)
    assert [answer.index for answer in answers] == list(range(len(boards)))
    assert all(answer.result().best_move for answer in answers)


def test_a_wrong_item_is_named_and_the_others_go_on(client: Client) -> None:
    answers = list(client.legal_moves_many([None, BAD, chess.STARTING_FEN]))
    assert [len(answer.response.moves) if answer.response else None for answer in answers] == [20, None, 20]
    error = answers[1].error
    assert isinstance(error, InvalidArgument) and error.violations[0].field == "position.fen"
    with pytest.raises(InvalidArgument):
        answers[1].result()


def test_a_board_that_cannot_be_sent_is_a_wrong_item_too(client: Client) -> None:
    import chess.variant

    boards = [chess.Board(), chess.variant.AtomicBoard(), chess.Board()]
    answers = list(client.evaluate_many(boards))
    assert [answer.error is None for answer in answers] == [True, False, True]


@pytest.mark.parametrize("ordered", [False, True])
def test_no_more_than_asked_for_are_in_flight(client: Client, ordered: bool) -> None:
    taken = 0

    def endless() -> Iterator[None]:
        nonlocal taken
        for _ in itertools.count():
            taken += 1
            yield None

    stream = client.analyse_many(endless(), nodes=200, in_flight=8, ordered=ordered)
    for handed, answer in enumerate(itertools.islice(stream, 100), start=1):
        assert answer.error is None
        assert taken <= handed + 8
    stream.close()  # type: ignore[attr-defined]


def test_an_answer_may_decide_what_is_asked_next(client: Client) -> None:
    board = chess.Board()
    following = threading.Semaphore(1)

    def moves() -> Iterator[chess.Board]:
        while len(board.move_stack) < 10:
            assert following.acquire(timeout=60)
            yield board

    for answer in client.analyse_many(moves(), nodes=300, in_flight=1):
        board.push_uci(answer.result().best_move)
        following.release()
    assert len(board.move_stack) == 10


def test_nothing_in_nothing_out(client: Client) -> None:
    assert list(client.evaluate_many([])) == []
    with pytest.raises(ValueError, match="in_flight"):
        list(client.evaluate_many([None], in_flight=0))


def test_the_callers_error_is_the_callers(client: Client) -> None:
    def broken() -> Iterator[None]:
        yield None
        raise RuntimeError("the caller's own")

    with pytest.raises(RuntimeError, match="own"):
        list(client.evaluate_many(broken()))


def test_progress_is_told(client: Client, capfd: pytest.CaptureFixture[str]) -> None:
    told: list[tuple[int, int | None]] = []
    list(client.evaluate_many([None] * 5, progress=lambda done, total: told.append((done, total))))
    assert told == [(done, 5) for done in range(1, 6)]
    list(client.evaluate_many([None] * 5, progress=True))
    assert "5/5" in capfd.readouterr().err


def test_rows(client: Client) -> None:
    mated = "7k/5KQ1/8/8/8/8/8/8 b - - 0 1"
    rows = [row(answer) for answer in client.analyse_many([None, mated, BAD], nodes=500, ordered=True)]
    assert rows[0]["cp"] is not None and rows[0]["mate"] is None and rows[0]["pv"].startswith(rows[0]["best_move"])
    assert rows[0]["win"] + rows[0]["draw"] + rows[0]["loss"] == 1000
    assert rows[1]["mate"] == 0 and rows[1]["best_move"] is None
    assert "position.fen" in rows[2]["error"] and rows[2]["cp"] is None
    assert all(each.keys() == rows[0].keys() for each in rows)


def test_a_stream_outlives_a_restart() -> None:
    server = Server()
    count = 300
    with Client(server.address, retries=RetryPolicy(attempts=12)) as client:
        seen = set()
        try:
            for answer in client.analyse_many([None] * count, nodes=1_000, in_flight=16):
                assert answer.result().best_move
                assert answer.index not in seen
                seen.add(answer.index)
                if len(seen) == count // 3:
                    address = server.address
                    server.kill()
                    server = Server(listen=address)
        finally:
            server.kill()
        assert seen == set(range(count))
        assert client.statistics.retries >= 1


def test_a_stream_to_nobody_ends(free_port: int) -> None:
    with Client(f"127.0.0.1:{free_port}", retries=RetryPolicy(attempts=2, first_pause=0.01)) as client:
        with pytest.raises(Unavailable):
            list(client.evaluate_many([None] * 3))


def test_requests_may_be_given_whole(client: Client) -> None:
    request = v1.BatchAdjudicateRequest(id="one", pgn="1. f3 e5 2. g4 Qh4#")
    answer = next(client.adjudicate_many([request]))
    assert answer.result().result == v1.GAME_RESULT_BLACK_WINS
