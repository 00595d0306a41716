//! 256 random bits as text: what session cookies, flow cookies and sign-ins are made of.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

use crate::random::{Random, bytes};

const BYTES: usize = 32;
const CHARS: usize = 43;

/// 43 characters of URL-safe base64, wiped on drop.
pub(crate) fn generate(random: &dyn Random) -> Zeroizing<String> {
    let secret = Zeroizing::new(bytes::<BYTES>(random));
    Zeroizing::new(URL_SAFE_NO_PAD.encode(secret.as_slice()))
}

/// Accepts exactly the generated form.
pub(crate) fn read(text: &str) -> Option<Zeroizing<String>> {
    if text.len() != CHARS {
        return None;
    }
    let secret = URL_SAFE_NO_PAD.decode(text).map(Zeroizing::new).ok()?;
    (secret.len() == BYTES).then(|| Zeroizing::new(text.to_owned()))
}
