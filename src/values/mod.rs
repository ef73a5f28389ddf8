//! Data values: from flags and documents, merged under a schema.
//!
//! ```text
//! flags -> documents ---> envelopes --merge (under the schema)--> values, and what is addressed to libraries
//! schema documents -----> envelopes --merge_schema--> schema, and what is addressed to libraries
//! ```

mod envelope;
pub mod flags;
mod merge;

pub use envelope::{Envelope, LibraryRef, SchemaEnvelope, check_all_used};
pub use flags::{Flags, Kind};
pub use merge::{merge, merge_schema};
