//! Files that are too large for a database: in a folder, or in a bucket of an S3-compatible store.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::client::{HttpClient, HttpConnector};
use object_store::local::LocalFileSystem;
use object_store::path::Path as Key;
use object_store::{
    ClientOptions, Error, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload,
    RetryConfig,
};
use secrecy::{ExposeSecret, SecretString};

use crate::http::{self, SetupError};

/// Somebody may wait for a file, so a bucket is asked once more at most.
const TRIES_AGAIN: usize = 1;
const TRY_FOR: Duration = Duration::from_secs(5);

/// A bucket and who may use it.
pub struct Bucket {
    pub name: String,
    /// Such as `https://s3.eu-central-1.amazonaws.com`.
    pub endpoint: String,
    pub region: String,
    pub access_key_id: String,
    pub secret_access_key: SecretString,
}

/// The store did not do what it was asked to. Holds no address and no credentials.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the file store failed: {0}")]
pub struct BlobError(String);

/// Files by their name. A name is made by us, of letters, digits, `_`, `.` and `/`.
pub enum Blobs {
    /// Made when it is needed.
    Folder(PathBuf, OnceLock<LocalFileSystem>),
    /// Has to be there.
    Bucket(AmazonS3),
}

/// Our own clients, so that certificates, time limits and redirects are ours too.
#[derive(Debug)]
struct OwnClient;

impl HttpConnector for OwnClient {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let made = http::client(http::USER_AGENT).map_err(|error| Error::Generic {
            store: "S3",
            source: Box::new(error),
        })?;
        Ok(HttpClient::new(made))
    }
}

impl Blobs {
    /// In a folder, which is made when it is needed.
    pub fn folder(path: PathBuf) -> Self {
        Self::Folder(path, OnceLock::new())
    }

    /// In a bucket, which has to be there.
    pub fn bucket(bucket: &Bucket) -> Result<Self, SetupError> {
        let store = AmazonS3Builder::new()
            .with_http_connector(OwnClient)
            .with_bucket_name(&bucket.name)
            .with_endpoint(&bucket.endpoint)
            .with_region(&bucket.region)
            .with_access_key_id(&bucket.access_key_id)
            .with_secret_access_key(bucket.secret_access_key.expose_secret())
            // The setting takes plain HTTP only for this machine.
            .with_allow_http(true)
            .with_retry(RetryConfig {
                max_retries: TRIES_AGAIN,
                retry_timeout: TRY_FOR,
                ..RetryConfig::default()
            })
            .build()
            .map_err(|_| SetupError("the settings under blobs do not fit together".to_owned()))?;
        Ok(Self::Bucket(store))
    }

    fn store(&self) -> Result<&dyn ObjectStore, BlobError> {
        match self {
            Self::Bucket(store) => Ok(store),
            Self::Folder(path, opened) => {
                if let Some(store) = opened.get() {
                    return Ok(store);
                }
                let store = open(path).map_err(|error| BlobError(format!("{}: {error}", path.display())))?;
                Ok(opened.get_or_init(|| store))
            }
        }
    }

    /// Stores a file, in place of one of the same name.
    pub async fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), BlobError> {
        self.store()?
            .put(&Key::from(name), PutPayload::from(bytes))
            .await
            .map(drop)
            .map_err(failed)
    }

    /// Stores a file unless there is one of this name. Returns whether it was stored: of two who try, one is told so.
    pub async fn create(&self, name: &str, bytes: Vec<u8>) -> Result<bool, BlobError> {
        let stored = self
            .store()?
            .put_opts(
                &Key::from(name),
                PutPayload::from(bytes),
                PutOptions::from(PutMode::Create),
            )
            .await;
        match stored {
            Ok(_) => Ok(true),
            Err(Error::AlreadyExists { .. }) => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }

    /// The names of the files in a folder, without the folder's own.
    pub async fn list(&self, folder: &str) -> Result<Vec<String>, BlobError> {
        let listed = self.store()?.list_with_delimiter(Some(&Key::from(folder))).await;
        let files = listed.map_err(failed)?.objects;
        let name = |file: ObjectMeta| file.location.filename().map(str::to_owned);
        Ok(files.into_iter().filter_map(name).collect())
    }

    /// A file; none when there is none of this name.
    pub async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, BlobError> {
        let found = match self.store()?.get(&Key::from(name)).await {
            Ok(found) => found,
            Err(Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let bytes = found.bytes().await.map_err(failed)?;
        Ok(Some(bytes.to_vec()))
    }

    /// Removes a file. One that is not there is no failure.
    pub async fn delete(&self, name: &str) -> Result<(), BlobError> {
        match self.store()?.delete(&Key::from(name)).await {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed(error)),
        }
    }
}

/// For nobody but the service, like the folder around it.
fn open(folder: &Path) -> Result<LocalFileSystem, Box<dyn std::error::Error>> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let store = LocalFileSystem::new_with_prefix(folder)?;
    Ok(store.with_fsync(true).with_automatic_cleanup(true))
}

/// The kind of a failure: its text may name addresses.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn failed(error: Error) -> BlobError {
    let kind = if matches!(
        error,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. }
    ) {
        "it rejected our credentials"
    } else if matches!(error, Error::Generic { .. }) {
        "it did not answer or gave an unexpected answer"
    } else {
        "it refused the request"
    };
    BlobError(kind.to_owned())
}
