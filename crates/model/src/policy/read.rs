//! Policy files.
