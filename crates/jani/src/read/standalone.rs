//! Expressions in files that are not JANI: policies, predicate lists.

use std::path::Path;

use crate::read::Reader;
use crate::syntax::{ExprId, Pool};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::Node;
use surefoot_text::source::SourceMap;

/// Reads an expression over states out of any JSON document into a pool; its places are those of the document.
///
/// # Errors
/// If it is no such expression, or uses what is not supported; the pool is then as before.
pub fn read_expression(sources: &mut SourceMap, node: Node<'_>, pool: &mut Pool) -> Result<ExprId, Diagnostic> {
    let before = pool.len();
    let mut reader = Reader::new(sources, Path::new(""), std::mem::take(pool));
    let result = reader.expression(node);
    *pool = reader.pool;
    result.map_err(|fault| {
        pool.truncate(before);
        fault.diagnostic
    })
}
