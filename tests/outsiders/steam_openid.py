"""python3-openid signs a person in at the Steam emulator, which answers as steamcommunity.com here."""

import json
import logging
import os
import sys
import urllib.parse
import urllib.request

from openid.consumer import consumer

ACCOUNT = json.loads(os.environ["EMULATORS"])["steam"]["account"]
RETURN_TO = "http://127.0.0.1:8080/auth/steam/callback"
REALM = "http://127.0.0.1:8080"


class Stay(urllib.request.HTTPRedirectHandler):
    """Redirects are read, not followed."""

    def redirect_request(self, *_):
        return None


def visit(address: str) -> dict:
    """Goes to the page as a person who is chosen already; the fields with which the browser comes back."""
    try:
        urllib.request.build_opener(Stay).open(f"{address}&as={ACCOUNT}")
    except urllib.error.HTTPError as answer:
        assert answer.code == 302, answer.code
        query = urllib.parse.urlsplit(answer.headers["location"]).query
        return dict(urllib.parse.parse_qsl(query, strict_parsing=True))
    raise AssertionError("the provider did not redirect")


def begin() -> tuple:
    """No store, so nothing is shared with the provider and it is asked each time."""
    relying_party = consumer.Consumer({}, None)
    request = relying_party.begin("https://steamcommunity.com/openid")
    return relying_party, visit(request.redirectURL(REALM, RETURN_TO))


def main() -> int:
    # It complains when it is refused, which is what is tested.
    logging.disable(logging.ERROR)
    relying_party, fields = begin()
    response = relying_party.complete(fields, RETURN_TO)
    assert response.status == consumer.SUCCESS, (response.status, getattr(response, "message", None))
    assert response.identity_url == f"https://steamcommunity.com/openid/id/{ACCOUNT}", response.identity_url
    print("python3-openid: finds the provider, signs in and asks whether that is true")

    again = consumer.Consumer({}, None).complete(fields, RETURN_TO)
    assert again.status == consumer.FAILURE, again.status
    print("python3-openid: is not told twice")

    relying_party, fields = begin()
    fields["openid.claimed_id"] = fields["openid.identity"] = fields["openid.identity"][:-1] + "9"
    forged = relying_party.complete(fields, RETURN_TO)
    assert forged.status == consumer.FAILURE, forged.status
    print("python3-openid: is not told lies")
    return 0


if __name__ == "__main__":
    sys.exit(main())
