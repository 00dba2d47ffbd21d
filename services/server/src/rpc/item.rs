//! Items of bulk requests: each has a name and gets an answer of its own.

use prost::Message;
use tabiya_api::{MAX_ID_BYTES, v1};

/// An item of a bulk request.
pub(super) trait Item: Message + 'static {
    /// What answers it, by itself.
    type Response;
    /// The message that carries the answer, or why there is none.
    type Answer: Message + 'static;

    /// Takes the item's name.
    fn take_id(&mut self) -> String;

    /// The answer to the item of this name and place.
    fn answer(id: String, index: u64, outcome: Result<Self::Response, v1::ItemError>) -> Self::Answer;
}

/// Names the messages of bulk calls, which are all alike.
macro_rules! items {
    ($($request:ident, $response:ident -> $answer:ident, $outcome:ident;)*) => {
        $(impl Item for v1::$request {
            type Response = v1::$response;
            type Answer = v1::$answer;

            fn take_id(&mut self) -> String {
                std::mem::take(&mut self.id)
            }

            fn answer(id: String, index: u64, outcome: Result<Self::Response, v1::ItemError>) -> Self::Answer {
                use v1::$outcome::Outcome;

                let outcome = Some(match outcome {
                    Ok(response) => Outcome::Response(response),
                    Err(error) => Outcome::Error(error),
                });
                v1::$answer { id, index, outcome }
            }
        })*
    };
}

items! {
    BatchLegalMovesRequest, LegalMovesResponse -> BatchLegalMovesResponse, batch_legal_moves_response;
    BatchAdjudicateRequest, AdjudicateResponse -> BatchAdjudicateResponse, batch_adjudicate_response;
}

/// The name of an item, cut to the length that names may have.
pub(super) fn bounded(mut id: String) -> String {
    id.truncate(id.floor_char_boundary(MAX_ID_BYTES));
    id
}
