"""As much CBOR (RFC 8949) as a greeting and a DeviceEngagement need: definite lengths, no floats."""


class Tagged:
    """A tagged item, with the bytes of the whole item, tag included."""

    def __init__(self, tag, item, encoded):
        self.tag, self.item, self.encoded = tag, item, encoded


def decode(data):
    item, end = _item(bytes(data), 0)
    if end != len(data):
        raise ValueError("bytes behind the CBOR item")
    return item


def _head(data, at):
    major, info = data[at] >> 5, data[at] & 31
    if info < 24:
        return major, info, at + 1
    if info > 27:
        raise ValueError("indefinite length")
    size = 1 << (info - 24)
    if at + 1 + size > len(data):
        raise ValueError("truncated")
    return major, int.from_bytes(data[at + 1 : at + 1 + size], "big"), at + 1 + size


def _item(data, start):
    if start >= len(data):
        raise ValueError("truncated")
    major, value, at = _head(data, start)
    if major == 0:
        return value, at
    if major == 1:
        return -1 - value, at
    if major in (2, 3):
        if at + value > len(data):
            raise ValueError("truncated")
        content = data[at : at + value]
        return (content if major == 2 else content.decode()), at + value
    if major == 4:
        items = []
        for _ in range(value):
            item, at = _item(data, at)
            items.append(item)
        return items, at
    if major == 5:
        pairs = {}
        for _ in range(value):
            key, at = _item(data, at)
            pairs[key], at = _item(data, at)
        return pairs, at
    if major == 6:
        item, at = _item(data, at)
        return Tagged(value, item, data[start:at]), at
    return {20: False, 21: True}.get(value), at
