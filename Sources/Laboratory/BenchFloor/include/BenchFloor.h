/* The tight floor, against which Countersign is measured: the cryptography of one response by the shortest calls of
 * OpenSSL 3.0. Keys and messages are made beforehand, all on P-256.
 *
 * A session (ISO/IEC 18013-5, 9.1.1): generate a key and encode it, import the phone's key, ECDH, SHA-256 of the
 * transcript, HKDF for SKReader and SKDevice, AES-256-GCM to seal the request and to open the response.
 * An envelope (RFC 9180): import the sender's key, ECDH, the six labelled HKDF steps, AES-128-GCM to open the response,
 * SHA-256 of the transcript.
 * Then, for both: SHA-256 of each item; import the device's key; verify issuerAuth and the device's signature.
 * If the document signer is not known: also verify its certificate and import its key. The root's key is kept. */
#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

#include <stddef.h>

typedef struct bench_floor bench_floor;

/* Sizes in bytes. */
typedef struct {
    /* 0 for an envelope, which has no request. */
    size_t request;
    size_t response;
    size_t transcript;
    /* The bytes that the signature of the certificate, of the issuer and of the device covers. */
    size_t certificate, issuer, device;
} bench_floor_sizes;

/* Makes the keys and messages for responses of these sizes. items has the size of each item. Returns NULL if OpenSSL fails
 * or memory is missing. */
bench_floor *bench_floor_make(bench_floor_sizes sizes, const size_t *items, size_t item_count);

/* Runs the cryptography of one response. knows_signer is 1 if the document signer was verified before. Returns 1, or 0 if a
 * call of OpenSSL failed. */
int bench_floor_run(bench_floor *floor, int knows_signer);

void bench_floor_free(bench_floor *floor);

/* Two functions that Hardware/check-ratios finds by their names, which an optimised Swift function would lose: valgrind counts
 * the instructions inside the first one, and writes the count when the second one is called. */

void bench_run_counted(void (*body)(void *), void *context);

void bench_end_part(void);

#endif
