//! Which builds of the plugin there are. The list is kept beside their files and not in the database, so that they can be
//! had while that is away.

use domain::picture::digest;
use domain::plugin_build::{Build, MOST_BYTES, PluginVersion, is_file_name};
use platform::blobs::{BlobError, Blobs};
use serde::{Deserialize, Serialize};

const FILES: &str = "plugin/files";
const VERSIONS: &str = "plugin/versions";
const WITHDRAWN: &str = "plugin/withdrawn";

/// What is to be published.
#[derive(Debug)]
pub struct NewBuild {
    /// Never published before, or with the same bytes.
    pub version: PluginVersion,
    /// What the file is called.
    pub file_name: String,
    /// The file.
    pub bytes: Vec<u8>,
}

/// Why a build is not published, withdrawn or offered again.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A version stands for the same bytes for ever.
    #[error(
        "{0} was published with other content. Published versions never change: give this one a higher version."
    )]
    OtherBytes(PluginVersion),
    /// Nothing, or too much.
    #[error("a build has between 1 byte and {} MiB", MOST_BYTES / 1024 / 1024)]
    Size,
    /// It goes into a header, and onto the disks of others.
    #[error("a file name has letters, digits, '.', '_' and '-', at most 64 of them")]
    FileName,
    /// There is no such build.
    #[error("{0} was never published")]
    Unknown(PluginVersion),
    /// What is stored about a build cannot be read.
    #[error("the record of {0} in the file store cannot be read")]
    Unreadable(String),
    /// Where files are stored.
    #[error(transparent)]
    Store(#[from] BlobError),
}

/// What is stored about a build, once.
#[derive(Serialize, Deserialize)]
struct Record {
    sha256: String,
    size: u64,
    published_at_ms: i64,
    file_name: String,
}

impl Record {
    fn of(new: &NewBuild, now_ms: i64) -> Result<Self, BuildError> {
        if new.bytes.is_empty() || new.bytes.len() > MOST_BYTES {
            return Err(BuildError::Size);
        }
        if !is_file_name(&new.file_name) {
            return Err(BuildError::FileName);
        }
        Ok(Self {
            sha256: digest(&new.bytes),
            size: new.bytes.len() as u64,
            published_at_ms: now_ms,
            file_name: new.file_name.clone(),
        })
    }
}

/// Whether publishing this would make something new. It is refused here already if it cannot be published.
pub async fn is_new(blobs: &Blobs, new: &NewBuild) -> Result<bool, BuildError> {
    let record = Record::of(new, 0)?;
    match find(blobs, new.version).await? {
        Some(known) => same(new.version, &known, &record),
        None => Ok(true),
    }
}

/// Publishes a build. Returns false when this version was published with the same bytes before.
pub async fn publish(blobs: &Blobs, new: NewBuild, now_ms: i64) -> Result<bool, BuildError> {
    let record = Record::of(&new, now_ms)?;
    if let Some(known) = find(blobs, new.version).await? {
        let is_new = same(new.version, &known, &record)?;
        // A file that was lost is put back by whoever has it.
        if read(blobs, &record.sha256).await?.is_none() {
            blobs.put(&file(&record.sha256), new.bytes).await?;
        }
        return Ok(is_new);
    }
    // The file first: a version that can be seen can be had.
    blobs.put(&file(&record.sha256), new.bytes).await?;
    let text = serde_json::to_vec(&record).map_err(|_| BuildError::Unreadable(new.version.to_string()))?;
    if blobs.create(&in_folder(VERSIONS, new.version), text).await? {
        return Ok(true);
    }
    // Somebody else was faster.
    match find(blobs, new.version).await? {
        Some(known) => same(new.version, &known, &record),
        None => Err(BuildError::Unreadable(new.version.to_string())),
    }
}

fn same(version: PluginVersion, known: &Record, new: &Record) -> Result<bool, BuildError> {
    if known.sha256 == new.sha256 {
        Ok(false)
    } else {
        Err(BuildError::OtherBytes(version))
    }
}

/// Offers a build no more. Whoever names its version still gets it.
pub async fn withdraw(blobs: &Blobs, version: PluginVersion) -> Result<(), BuildError> {
    find(blobs, version).await?.ok_or(BuildError::Unknown(version))?;
    Ok(blobs.put(&in_folder(WITHDRAWN, version), Vec::new()).await?)
}

/// Offers a build again that was withdrawn.
pub async fn restore(blobs: &Blobs, version: PluginVersion) -> Result<(), BuildError> {
    find(blobs, version).await?.ok_or(BuildError::Unknown(version))?;
    Ok(blobs.delete(&in_folder(WITHDRAWN, version)).await?)
}

/// All builds, the latest first. Those that are known already are not read again: a build never changes.
pub async fn list(blobs: &Blobs, known: &[Build]) -> Result<Vec<Build>, BuildError> {
    let withdrawn = versions(blobs.list(WITHDRAWN).await?);
    let mut builds = Vec::new();
    for version in versions(blobs.list(VERSIONS).await?) {
        let is_withdrawn = withdrawn.contains(&version);
        let build = match known.iter().find(|build| build.version == version) {
            Some(build) => Build {
                is_withdrawn,
                ..build.clone()
            },
            None => {
                let record = match find(blobs, version).await {
                    Ok(Some(record)) => record,
                    Ok(None) => continue,
                    // One that is damaged is no reason to do without the others.
                    Err(BuildError::Unreadable(version)) => {
                        tracing::warn!(%version, "the record of a plugin build cannot be read; it is left out");
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                Build {
                    version,
                    sha256: record.sha256,
                    size: record.size,
                    published_at_ms: record.published_at_ms,
                    file_name: record.file_name,
                    is_withdrawn,
                }
            }
        };
        builds.push(build);
    }
    builds.sort_by_key(|build| std::cmp::Reverse(build.version));
    Ok(builds)
}

/// The file of a build. What is not what was published is not given to anybody.
pub(super) async fn read(blobs: &Blobs, sha256: &str) -> Result<Option<Vec<u8>>, BlobError> {
    let bytes = blobs.get(&file(sha256)).await?;
    Ok(bytes.filter(|bytes| digest(bytes) == sha256))
}

async fn find(blobs: &Blobs, version: PluginVersion) -> Result<Option<Record>, BuildError> {
    let Some(bytes) = blobs.get(&in_folder(VERSIONS, version)).await? else {
        return Ok(None);
    };
    let record = serde_json::from_slice::<Record>(&bytes).ok();
    let record = record.filter(|record| is_file_name(&record.file_name) && is_sha256(&record.sha256));
    record
        .map(Some)
        .ok_or_else(|| BuildError::Unreadable(version.to_string()))
}

fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn versions(names: Vec<String>) -> Vec<PluginVersion> {
    names
        .iter()
        .filter_map(|name| PluginVersion::parse(name))
        .collect()
}

fn file(sha256: &str) -> String {
    [FILES, "/", sha256].concat()
}

fn in_folder(folder: &str, version: PluginVersion) -> String {
    format!("{folder}/{version}")
}
