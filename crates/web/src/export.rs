//! Files that are written while they are sent. None is left behind, and a slow reader holds up nobody else.

use app::AppError;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::{Stream, stream};
use http::HeaderValue;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};

use crate::openapi::Gives;
use crate::routes::RouteAnswer;

/// Room for a usual slice. A text that grows step by step leaves each of its sizes behind in every thread.
const SLICE_BYTES: usize = 16 * 1024;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Csv,
    Json,
}

/// The spellings of the formats.
pub const FORMATS: &[&str] = &["csv", "json"];

impl Format {
    pub fn parse(text: &str) -> Result<Self, AppError> {
        match text {
            "" | "csv" => Ok(Self::Csv),
            "json" => Ok(Self::Json),
            _ => Err(AppError::invalid("format", "must be csv or json")),
        }
    }
}

/// What a file is made of, slice by slice.
pub trait Slices: Send + 'static {
    /// The next rows, each as a line. None after the last.
    fn next(&mut self) -> impl Future<Output = Result<Option<Vec<String>>, AppError>> + Send;
}

/// A file on its way.
pub struct Export {
    format: Format,
    /// Names of the file, by format.
    names: [&'static str; 2],
    body: Body,
}

impl Export {
    /// `head` stands before the first line.
    pub fn new(format: Format, names: [&'static str; 2], head: &'static str, slices: impl Slices) -> Self {
        Self {
            format,
            names,
            body: Body::from_stream(written(head, slices)),
        }
    }
}

fn written(head: &'static str, slices: impl Slices) -> impl Stream<Item = Result<Bytes, AppError>> {
    stream::unfold(Some((head, slices)), |state| async move {
        let (head, mut slices) = state?;
        match slices.next().await {
            // The file is cut off visibly: the connection ends before the answer does.
            Err(error) => Some((Err(error), None)),
            Ok(None) if head.is_empty() => None,
            Ok(lines) => {
                let mut text = String::with_capacity(SLICE_BYTES);
                text.push_str(head);
                let is_over = lines.is_none();
                lines.into_iter().flatten().for_each(|line| text.push_str(&line));
                Some((Ok(Bytes::from(text)), (!is_over).then_some(("", slices))))
            }
        }
    })
}

impl Gives for Export {
    const ANSWER: RouteAnswer = RouteAnswer::File;
}

impl IntoResponse for Export {
    fn into_response(self) -> Response {
        let (kind, name) = match self.format {
            Format::Csv => ("text/csv; charset=utf-8", self.names[0]),
            Format::Json => ("application/x-ndjson", self.names[1]),
        };
        let mut response = Response::new(self.body);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static(name));
        response
    }
}

/// A line of a table.
pub fn csv_line(cells: impl IntoIterator<Item = String>) -> String {
    let cells: Vec<String> = cells.into_iter().map(|cell| csv_cell(&cell)).collect();
    [&cells.join(","), "\r\n"].concat()
}

/// A line of JSON.
pub fn json_line(row: &impl serde::Serialize) -> String {
    let mut line = serde_json::to_string(row).unwrap_or_default();
    line.push('\n');
    line
}

/// Quoted, and unable to become a formula in a spreadsheet.
fn csv_cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let guard = if is_formula { "'" } else { "" };
    ["\"", guard, &text.replace('"', "\"\""), "\""].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_cannot_leave_its_place_or_become_a_formula() {
        assert_eq!(csv_cell("a\"b,c"), "\"a\"\"b,c\"");
        for formula in ["=1+1", "+1", "-1", "@x"] {
            assert_eq!(csv_cell(formula), format!("\"'{formula}\""));
        }
        assert_eq!(csv_line(["a".to_owned(), "b\n".to_owned()]), "\"a\",\"b\n\"\r\n");
    }
}
