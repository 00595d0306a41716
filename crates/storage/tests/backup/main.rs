//! Backup and restore, from either database into either.

#[cfg(test)]
mod directions;
#[cfg(test)]
mod during_writes;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod rows;
#[cfg(test)]
mod tables;
