// The display capability: out of the address once, then in memory alone.

/// Takes `token` from the fragment and removes the fragment from the address and from this history entry.
export function takeCapability() {
    const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";
    if (location.hash !== "") {
        history.replaceState(null, "", location.pathname + location.search);
    }
    return /^[\x21-\x7e]{1,4096}$/.test(token) ? token : null;
}
