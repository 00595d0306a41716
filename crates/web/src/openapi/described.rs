//! What handlers take and give, read from their types: the description cannot say anything else than the code.

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};

use crate::extract::{Asked, Asks, JsonBody, Pressed, Question, Segment, Segments, SentFile};
use crate::routes::{Created, Done, Found, FoundSecret, RouteAnswer};

/// A type's name in the description, with the schemas of it and of everything in it.
pub struct Described {
    pub name: String,
    pub schemas: Vec<(String, RefOr<Schema>)>,
}

pub fn described<T: ToSchema + PartialSchema>() -> Described {
    let name = T::name().into_owned();
    let mut schemas = vec![(name.clone(), T::schema())];
    T::schemas(&mut schemas);
    Described { name, schemas }
}

/// The input of a handler.
pub trait Takes {
    const BODY: Option<fn() -> Described> = None;
    const ASKS: &'static [Asks] = &[];
    /// It is a file, whatever is in it.
    const FILE: bool = false;
    /// It may be sent again under the same `Idempotency-Key`.
    const REPEATABLE: bool = false;
}

impl Takes for () {}

impl<T: Segment> Takes for Segments<T> {}

impl<T: Question> Takes for Asked<T> {
    const ASKS: &'static [Asks] = T::ASKS;
}

impl<T: ToSchema> Takes for JsonBody<T> {
    const BODY: Option<fn() -> Described> = Some(described::<T>);
}

impl<T: ToSchema> Takes for Pressed<JsonBody<T>> {
    const BODY: Option<fn() -> Described> = Some(described::<T>);
    const REPEATABLE: bool = true;
}

impl<T: Question> Takes for SentFile<T> {
    const ASKS: &'static [Asks] = T::ASKS;
    const FILE: bool = true;
}

impl<A: Takes, B: Takes> Takes for (A, B) {
    const BODY: Option<fn() -> Described> = B::BODY;
    const ASKS: &'static [Asks] = B::ASKS;
}

/// The output of a handler.
pub trait Gives {
    const ANSWER: RouteAnswer;
}

impl<T: ToSchema> Gives for Found<T> {
    const ANSWER: RouteAnswer = RouteAnswer::Json(200, described::<T>);
}

impl<T: ToSchema> Gives for FoundSecret<T> {
    const ANSWER: RouteAnswer = Found::<T>::ANSWER;
}

impl<T: ToSchema> Gives for Created<T> {
    const ANSWER: RouteAnswer = RouteAnswer::Json(201, described::<T>);
}

impl Gives for Done {
    const ANSWER: RouteAnswer = RouteAnswer::Nothing;
}
