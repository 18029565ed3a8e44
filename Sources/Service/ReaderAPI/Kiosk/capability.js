// Reads the sign-in code from the page's address.

/// Returns `code` of the fragment, and removes the fragment from the address and the browser's history.
export function takeCode() {
    const code = new URLSearchParams(location.hash.slice(1)).get("code") ?? "";
    if (location.hash !== "") {
        history.replaceState(null, "", location.pathname + location.search);
    }
    return /^[0-9a-f]{1,64}$/.test(code) ? code : null;
}
