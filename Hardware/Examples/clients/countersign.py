"""A client of countersignd in one file. It needs Python 3.11 or later and nothing else: copy it beside your program.

    client = Client("http://127.0.0.1:8411", token)
    ended = client.check({"kind": "display", "intent": "age over 21", "reference": "till-7/2026-11-25/4711"})
    may_sell = ended.outcome == "allow"

Every answer is checked: a member that is missing or has another type, and an outcome that is not in `Outcome`, raise
`Malformed`, so that nothing unknown is ever taken for `allow`. The classes named as in the daemon's OpenAPI document
have the members of that document which this client uses.
"""

import hashlib
import hmac
import http.client
import json
import time
import types
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, TypedDict, TypeVar, Union, cast, get_args, get_origin, get_type_hints, is_typeddict

Outcome = Literal["allow", "deny", "unclear", "declined", "cancelled", "failed"]
# The events of a presentation. Others, also those of later versions, are passed over.
EventName = Literal["armed", "engaged", "awaitingConsent", "receiving", "awaitingDecision", "hintChanged", "ended", "wiped",
                    "receiptWritten"]


class Then(TypedDict):
    intent: str
    retention: NotRequired[str]


class Order(TypedDict):
    kind: Literal["display", "data"]
    intent: str
    lane: NotRequired[str]
    reference: NotRequired[str]
    holder: NotRequired[int]
    validation: NotRequired[Literal["check", "checkMultiple", "confirm"]]
    retention: NotRequired[str]
    consent: NotRequired[Literal["given", "not-given"]]
    then: NotRequired[Then]
    readerToken: NotRequired[str]
    identity: NotRequired[str]
    wallet: NotRequired[str]
    webhook: NotRequired[str]


class Result(TypedDict):
    verdict: str
    test: bool
    answers: list[dict[str, Any]]
    missing: list[dict[str, Any]]
    receipt: str | None
    documents: NotRequired[list[dict[str, Any]] | None]


class Presentation(TypedDict):
    id: str
    lane: str
    reference: str | None
    state: str
    hint: str | None
    outcome: Outcome | None
    test: bool | None
    reasons: list[str]
    ended: str | None
    result: NotRequired[Result]


class EndedEvent(TypedDict):
    presentation: str
    lane: str
    state: str
    outcome: Outcome
    test: bool | None
    reasons: NotRequired[list[str]]
    result: NotRequired[Result]


class PresentationEvent(TypedDict):
    presentation: str
    lane: str
    state: str
    hint: NotRequired[str]


class Receipt(TypedDict):
    id: str
    sequence: int
    digest: str
    previous: str
    statement: dict[str, Any] | None


class Receipts(TypedDict):
    receipts: list[Receipt]
    count: int


class Problem(TypedDict):
    id: str
    status: int
    detail: str
    pointer: NotRequired[str]
    presentation: NotRequired[str]


class CountersignError(Exception):
    """Every error of this client."""


class AddressRefused(CountersignError):
    """The address of the daemon is not one to which the token may be sent."""


class Unreachable(CountersignError):
    """The daemon did not answer in time, or the connection broke. The request may have been carried out."""


class Malformed(CountersignError):
    """An answer is not as the OpenAPI document has it, or is too long."""


class WebhookRefused(CountersignError):
    """A webhook is not from the daemon, or is too old."""


class Overdue(CountersignError):
    """The time of `check` is over and the daemon does not answer. The check may still be open."""


class Refused(CountersignError):
    """The daemon refused a request. Act on `id`; `detail` says what happened and what to do."""

    def __init__(self, problem: Problem, retry_after: int | None = None):
        super().__init__(problem["detail"])
        self.id, self.status, self.detail = problem["id"], problem["status"], problem["detail"]
        self.problem, self.retry_after = problem, retry_after

    @property
    def is_final(self) -> bool:
        """Whether the same request would be refused again: no lane has to become free first."""
        return self.status < 500 and self.retry_after is None


@dataclass(frozen=True)
class Ended:
    """The end of a presentation. Sell only if `outcome == "allow"`."""
    presentation: str
    outcome: Outcome
    test: bool | None
    reasons: tuple[str, ...]
    result: Result | None

    @staticmethod
    def of(presentation: Presentation) -> "Ended | None":
        """The end of a presentation, or None while it is open."""
        if presentation["outcome"] is None:
            return None
        return Ended(presentation["id"], presentation["outcome"], presentation["test"], tuple(presentation["reasons"]),
                     presentation.get("result"))


@dataclass(frozen=True)
class Event:
    id: str | None
    name: EventName
    data: PresentationEvent | EndedEvent

    @property
    def ended(self) -> Ended | None:
        """The end of the presentation, in the event `ended` alone."""
        if self.name != "ended":
            return None
        data = cast(EndedEvent, self.data)
        return Ended(data["presentation"], data["outcome"], data["test"], tuple(data.get("reasons", [])), data.get("result"))


LONGEST_ANSWER = 1 << 24  # bytes
LONGEST_LINE = 1 << 20
SILENCE = 40.0  # seconds; the daemon's streams are never silent for so long
Shape = TypeVar("Shape")


def shaped(value: object, shape: type[Shape], where: str = "the answer") -> Shape:
    """Returns a JSON value that has the shape of a class or type of this file, or raises `Malformed`."""
    if not _has_shape(value, shape):
        raise Malformed(f"{where} is not a {getattr(shape, '__name__', shape)} of the daemon's OpenAPI document")
    return cast(Shape, value)


def _has_shape(value: object, shape: Any) -> bool:
    kind, parts = get_origin(shape), get_args(shape)
    if shape is Any:
        return True
    if is_typeddict(shape):
        return isinstance(value, dict) and all(
            _has_shape(value[name], inner) if name in value else name not in shape.__required_keys__
            for name, inner in get_type_hints(shape).items())
    if kind in (Union, types.UnionType):
        return any(_has_shape(value, part) for part in parts)
    if kind is Literal:
        return isinstance(value, str) and value in parts
    if kind is list:
        return isinstance(value, list) and all(_has_shape(item, parts[0]) for item in value)
    if kind is dict:
        return isinstance(value, dict)
    # True and False are numbers for Python, and none in JSON.
    return isinstance(value, shape) and (shape is not int or not isinstance(value, bool))


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The token goes to the named daemon only."""

    def redirect_request(self, *_: object) -> None:
        return None


class Client:
    """One daemon, with the token of one program. A client may be used by several threads."""

    def __init__(self, url: str, token: str, timeout: float = SILENCE):
        """Over plain HTTP only a daemon of this computer is asked: anybody between would read the token."""
        parts = urllib.parse.urlsplit(url)
        if parts.scheme != "https" and (parts.scheme != "http" or parts.hostname not in ("127.0.0.1", "::1", "localhost")):
            raise AddressRefused(f"{url}: give an address with https://, or http:// with 127.0.0.1, ::1 or localhost")
        self._url, self._timeout = url.rstrip("/"), timeout
        self._headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}
        # No proxy of the environment sees the token either.
        self._opener = urllib.request.build_opener(_NoRedirect, urllib.request.ProxyHandler({}))

    def order(self, order: Order) -> Presentation:
        """Orders a check, or returns the existing presentation of the same `reference`."""
        return self._call("POST", "/v1/presentations", Presentation, order)

    def presentation(self, presentation: str) -> Presentation:
        return self._call("GET", f"/v1/presentations/{_quoted(presentation)}", Presentation)

    def cancel(self, presentation: str) -> Presentation:
        """Ends a check: the customer is no longer asked. The answer has the outcome, even one that came just now."""
        return self._call("DELETE", f"/v1/presentations/{_quoted(presentation)}", Presentation)

    def receipts(self, after: int = 0) -> Iterator[Receipt]:
        """The receipts after this sequence number, in their order (scope admin)."""
        while page := self._call("GET", f"/v1/receipts?after={after}&limit=100", Receipts)["receipts"]:
            yield from page
            after = page[-1]["sequence"]

    def events(self, presentation: str, seconds: float = SILENCE, after: str | None = None) -> Iterator[Event]:
        """The events of one connection, for at most these seconds. `after`: the id of the last event that you have."""
        end = time.monotonic() + seconds
        headers = {} if after is None else {"Last-Event-ID": after}
        fields: dict[str, str] = {}
        with self._open("GET", f"/v1/presentations/{_quoted(presentation)}/events", seconds=seconds, headers=headers) as stream:
            while time.monotonic() < end:
                line = _reading(lambda: stream.readline(LONGEST_LINE + 1))
                if len(line) > LONGEST_LINE:
                    raise Malformed(f"an event of {presentation} is longer than {LONGEST_LINE} bytes")
                if not line:
                    return
                name, _, value = line.decode(errors="replace").rstrip("\r\n").partition(":")
                if name:
                    fields[name] = value.removeprefix(" ")
                elif fields:
                    if fields.get("event") in get_args(EventName):
                        shape: Any = EndedEvent if fields["event"] == "ended" else PresentationEvent
                        data = shaped(_parsed(fields.get("data", "").encode()), shape, f"the event {fields['event']}")
                        yield Event(fields.get("id"), cast(EventName, fields["event"]), data)
                    fields = {}

    def follow(self, presentation: str, seconds: float, show: Callable[[Event], None] = lambda event: None) -> Ended | None:
        """Shows each event until the end, through broken connections and restarts of the daemon. None: the time is over."""
        end, last = time.monotonic() + seconds, None
        while (left := end - time.monotonic()) > 0:
            try:
                for event in self.events(presentation, min(left, SILENCE), last):
                    if event.ended:
                        return event.ended
                    last = event.id or last
                    show(event)
            except Refused as refusal:
                if refusal.id == "presentationOver":  # It has no events since the daemon's restart.
                    return Ended.of(self.presentation(presentation))
                if refusal.is_final:
                    raise
                time.sleep(refusal.retry_after or 1)
            except Unreachable:
                time.sleep(1)
        return None

    def check(self, order: Order, seconds: float = 600, show: Callable[[Event], None] = lambda event: None,
              wait: Callable[[Refused], None] = lambda refusal: None) -> Ended:
        """Orders a check and follows it to its end. After these seconds the check is cancelled.

        The order needs a `reference`: with it the daemon continues the same check after a lost answer, a restart or a crash
        of your program. `wait` hears once why the daemon cannot take the order yet, such as a busy lane. Raises `Refused`
        for an order that the daemon will never take, and `Overdue` if the daemon does not answer until 30 s after the end.
        """
        if "reference" not in order:
            raise ValueError("an order for check needs a reference")
        end, said = time.monotonic() + seconds, None
        while (left := end - time.monotonic()) > -30:
            is_ordered = False
            try:
                presentation, is_ordered = self.order(order), True
                ended = Ended.of(presentation)
                if ended is None and left > 0:
                    ended = self.follow(presentation["id"], left, show)
                elif ended is None:
                    ended = Ended.of(self.cancel(presentation["id"]))
                if ended:
                    return ended
            except Refused as refusal:
                if refusal.is_final and not is_ordered:  # A check that ended meanwhile is ordered again, for its outcome.
                    raise
                if refusal.detail != said:
                    wait(refusal)
                said = refusal.detail
                time.sleep(refusal.retry_after or 1)
            except Unreachable:
                time.sleep(1)
        raise Overdue("The daemon did not answer in time. The check may still be open: order again with the same reference.")

    def _call(self, method: str, path: str, shape: type[Shape], body: object = None) -> Shape:
        with self._open(method, path, body) as response:
            return shaped(_parsed(_body(response, self._timeout)), shape, f"the answer to {method} {path}")

    def _open(self, method: str, path: str, body: object = None, seconds: float | None = None,
              headers: Mapping[str, str] = {}) -> http.client.HTTPResponse:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._url + path, data, {**self._headers, **headers}, method=method)
        try:
            seconds = self._timeout if seconds is None else min(seconds, self._timeout)
            return cast(http.client.HTTPResponse, self._opener.open(request, timeout=seconds))
        except urllib.error.HTTPError as error:
            with error:
                raise _refusal(error, self._timeout) from None
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(f"{self._url} does not answer: {getattr(error, 'reason', error)}") from error


def webhook(secret: bytes, headers: Mapping[str, str], body: bytes, now: float | None = None) -> Ended:
    """The end of a presentation, from a webhook whose signature and time are right. Raises `WebhookRefused` otherwise.

    `secret` is the content of the file `webhooks.secretFile`, to the last byte. The daemon may send a webhook again:
    do nothing if you already have this `presentation`.
    """
    given = {name.lower(): value for name, value in headers.items()}
    timestamp = given.get("countersign-timestamp", "")
    if len(body) > LONGEST_ANSWER:
        raise WebhookRefused("the webhook is too long")
    signature = hmac.new(secret, timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(given.get("countersign-signature", "").encode(), f"v1={signature}".encode()):
        raise WebhookRefused("the signature is not the daemon's: compare the secret with the file webhooks.secretFile")
    if not timestamp.isdecimal() or abs((time.time() if now is None else now) - int(timestamp)) > 300:
        raise WebhookRefused("the webhook is older than five minutes, or a clock is wrong")
    ended = Ended.of(shaped(_parsed(body), Presentation, "the webhook"))
    if ended is None:
        raise Malformed("the webhook has no outcome")
    return ended


def _quoted(text: str) -> str:
    return urllib.parse.quote(text, safe="")


def _reading(read: Callable[[], bytes]) -> bytes:
    try:
        return read()
    except (OSError, http.client.HTTPException) as error:
        raise Unreachable(f"the connection broke: {error}") from error


def _body(response: http.client.HTTPResponse, seconds: float) -> bytes:
    """A body within the limits of size and time."""
    end, body = time.monotonic() + seconds, b""
    while chunk := _reading(lambda: response.read1(1 << 16)):
        body += chunk
        if len(body) > LONGEST_ANSWER:
            raise Malformed(f"an answer is longer than {LONGEST_ANSWER} bytes")
        if time.monotonic() > end:
            raise Unreachable("an answer took too long")
    return body


def _parsed(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise Malformed("an answer is not JSON: is this address the daemon's?") from None


def _refusal(error: urllib.error.HTTPError, seconds: float) -> CountersignError:
    wait = error.headers.get("Retry-After", "")
    try:
        problem = shaped(_parsed(_body(cast(http.client.HTTPResponse, error), seconds)), Problem)
    except Malformed:
        # A server between, such as a proxy, answered.
        problem = {"id": f"http.{error.code}", "status": error.code, "detail": f"the server answered {error.code}, not the daemon"}
    return Refused(problem, min(int(wait), 60) if wait.isdecimal() else None)
