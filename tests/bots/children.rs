//! Processes that a process has started.

use std::process::Command;

/// The processes that this one started.
pub fn children(parent: u32) -> Vec<u32> {
    let found = std::fs::read_dir("/proc").expect("processes");
    let pids = found.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let is_child = |pid: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // After the name, which may hold anything, come the state and the parent.
        let rest = stat
            .rsplit_once(") ")
            .map(|(_, rest)| rest.to_owned())
            .unwrap_or_default();
        let mut words = rest.split(' ');
        words.next() != Some("Z") && words.next() == Some(parent.to_string().as_str())
    };
    pids.filter(is_child).collect()
}

pub fn kill(pid: u32) {
    let sent = Command::new("kill").args(["-9", &pid.to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
}
