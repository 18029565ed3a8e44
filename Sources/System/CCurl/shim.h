#pragma once

// Turns off the type checks of curl.h, which are macros around its functions. They would have no effect, because
// HTTPClient loads the library at run time and calls its functions by address.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// curl_easy_setopt, curl_multi_setopt and curl_easy_getinfo are variadic, and Swift cannot call variadic functions. In
// the functions below, `function` is the address of one of these three.

static inline CURLcode countersign_curl_set_number(const void *function, CURL *handle, CURLoption option, long value) {
    return ((CURLcode (*)(CURL *, CURLoption, ...))function)(handle, option, value);
}

static inline CURLcode countersign_curl_set_pointer(const void *function, CURL *handle, CURLoption option, const void *value) {
    return ((CURLcode (*)(CURL *, CURLoption, ...))function)(handle, option, value);
}

/// Sets the callback that receives the lines of the response's header, or its body.
static inline CURLcode countersign_curl_set_receiver(const void *function, CURL *handle, CURLoption option, curl_write_callback value) {
    return ((CURLcode (*)(CURL *, CURLoption, ...))function)(handle, option, value);
}

/// Sets the callback that receives the TLS context of a new connection.
static inline CURLcode countersign_curl_set_context_receiver(const void *function, CURL *handle, curl_ssl_ctx_callback value) {
    return ((CURLcode (*)(CURL *, CURLoption, ...))function)(handle, CURLOPT_SSL_CTX_FUNCTION, value);
}

/// Sets the callback that curl calls before it sends the request.
static inline CURLcode countersign_curl_set_prerequest(const void *function, CURL *handle, curl_prereq_callback value) {
    return ((CURLcode (*)(CURL *, CURLoption, ...))function)(handle, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode countersign_curl_get_number(const void *function, CURL *handle, CURLINFO info, long *value) {
    return ((CURLcode (*)(CURL *, CURLINFO, ...))function)(handle, info, value);
}

static inline CURLMcode countersign_curl_set_multi_number(const void *function, CURLM *handle, CURLMoption option, long value) {
    return ((CURLMcode (*)(CURLM *, CURLMoption, ...))function)(handle, option, value);
}
