//! What game servers download: the builds of the plugin.

mod builds;
mod files;
mod page;
