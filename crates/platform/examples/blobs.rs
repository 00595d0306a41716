//! One file of a bucket, as the service handles it: `blobs put|create|get|list|delete FILE BUCKET ENDPOINT REGION KEY SECRET`. What is
//! put comes from stdin, what is found goes to stdout.

use std::error::Error;
use std::io::{Read, Write};

use platform::blobs::{Blobs, Bucket};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, file, name, endpoint, region, key, secret] = arguments.as_slice() else {
        return Err("seven arguments, please".into());
    };
    let blobs = Blobs::bucket(&Bucket {
        name: name.clone(),
        endpoint: endpoint.clone(),
        region: region.clone(),
        access_key_id: key.clone(),
        secret_access_key: secret.clone().into(),
    })?;
    match what.as_str() {
        "put" | "create" => {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes)?;
            if what == "put" {
                blobs.put(file, bytes).await?;
            } else if !blobs.create(file, bytes).await? {
                return Err("there is one already".into());
            }
        }
        "list" => {
            for name in blobs.list(file).await? {
                writeln!(std::io::stdout(), "{name}")?;
            }
        }
        "get" => match blobs.get(file).await? {
            Some(bytes) => std::io::stdout().write_all(&bytes)?,
            None => return Err("there is none".into()),
        },
        "delete" => blobs.delete(file).await?,
        _ => return Err("put, create, get, list or delete?".into()),
    }
    Ok(())
}
