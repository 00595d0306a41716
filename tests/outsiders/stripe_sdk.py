"""Stripe's own package for Python, unmodified, at the Stripe emulator."""

import http.server
import json
import os
import sys
import threading
import urllib.request

import stripe

OWN = json.loads(os.environ["EMULATORS"])["stripe"]
CLIENT = stripe.StripeClient(OWN["key"], base_addresses={"api": OWN["api"]}, max_network_retries=0)
LETTERS: list[tuple[bytes, str]] = []


class Hook(http.server.BaseHTTPRequestHandler):
    """Notes what it is sent."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        LETTERS.append((body, self.headers["stripe-signature"]))
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def control(method: str, path: str, body: dict | None = None) -> None:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{OWN['control']}/{path}", data, {"content-type": "application/json"}, method=method)
    urllib.request.urlopen(request).read()


def refused(kind: type, ask) -> stripe.StripeError:
    try:
        ask()
    except kind as error:
        return error
    raise AssertionError(f"nobody was refused with {kind.__name__}")


def errors() -> None:
    wrong = stripe.StripeClient("sk_test_wrong", base_addresses={"api": OWN["api"]}, max_network_retries=0)
    refused(stripe.AuthenticationError, wrong.v1.customers.list)
    missing = refused(stripe.InvalidRequestError, lambda: CLIENT.v1.subscriptions.retrieve("sub_none"))
    assert (missing.http_status, missing.code) == (404, "resource_missing"), missing
    options = {"idempotency_key": "outsider-python"}
    first = CLIENT.v1.customers.create({"email": "python@example.com"}, options)
    assert CLIENT.v1.customers.create({"email": "python@example.com"}, options).id == first.id
    refused(stripe.IdempotencyError, lambda: CLIENT.v1.customers.create({"email": "other@example.com"}, options))
    for fault, kind in [("rate_limit", stripe.RateLimitError), ("error_500", stripe.APIError), ("error_403", stripe.PermissionError)]:
        control("POST", "faults", {"route": "GET /v1/prices", "fault": fault, "times": 1})
        refused(kind, CLIENT.v1.prices.list)
    declined = refused(
        stripe.CardError, lambda: CLIENT.v1.payment_methods.attach("pm_card_chargeDeclined", {"customer": first.id})
    )
    assert declined.code == "card_declined", declined
    print("stripe (Python): tells errors apart, and is given the same answer under the same key")


def pages() -> None:
    made = [CLIENT.v1.customers.create({"email": "pages@example.com"}).id for _ in range(7)]
    found = CLIENT.v1.customers.list({"email": "pages@example.com", "limit": 3})
    assert [customer.id for customer in found.auto_paging_iter()] == made[::-1]
    print("stripe (Python): turns the pages by itself")


def life() -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/hook"
    endpoint = CLIENT.v1.webhook_endpoints.create(
        {"url": url, "enabled_events": ["customer.subscription.created"], "api_version": "2024-06-20"}
    )
    customer = CLIENT.v1.customers.create({"email": "life@example.com"})
    made = CLIENT.v1.subscriptions.create(
        {"customer": customer.id, "items": [{"price": OWN["standard"]}], "metadata": {"org": "7"}, "expand": ["latest_invoice"]}
    )
    assert made.latest_invoice.status == "paid", made.latest_invoice
    control("POST", "deliveries/settle")
    [(body, signature)] = LETTERS
    event = CLIENT.construct_event(body, signature, endpoint.secret)
    old = event.data.object
    assert (old.id, old.plan.id) == (made.id, OWN["standard"]), old
    assert old.current_period_end == made["items"].data[0].current_period_end, old
    refused(stripe.SignatureVerificationError, lambda: CLIENT.construct_event(body + b" ", signature, endpoint.secret))
    CLIENT.v1.webhook_endpoints.delete(endpoint.id)
    server.shutdown()
    print("stripe (Python): subscribes, and gets a signed event in the shape of its endpoint")


def main() -> int:
    errors()
    pages()
    life()
    return 0


if __name__ == "__main__":
    sys.exit(main())
