// The code that lets the page in: out of the address once.

/// Takes `code` from the fragment and removes the fragment from the address and from this history entry.
export function takeCode() {
    const code = new URLSearchParams(location.hash.slice(1)).get("code") ?? "";
    if (location.hash !== "") {
        history.replaceState(null, "", location.pathname + location.search);
    }
    return /^[0-9a-f]{1,64}$/.test(code) ? code : null;
}
