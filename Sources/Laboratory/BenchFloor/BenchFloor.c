/* EC_KEY, ECDSA_do_verify and SHA256_Update are deprecated since OpenSSL 3.0 in favour of EVP. They are also the fastest:
 * importing a point takes 1 us in place of 20 with EVP_PKEY_fromdata, a key generation 9 us in place of 17, an HMAC over
 * 32 bytes 0.25 us in place of 3.2 with EVP_KDF. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "BenchFloor.h"

#include <openssl/ec.h>
#include <openssl/ecdh.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

enum { hash_size = 32, point_size = 65, tag_size = 16 };

/* HMAC-SHA-256 with its key hashed already. A copy of this state starts each message. */
typedef struct {
    SHA256_CTX inner, outer;
} hmac_key;

typedef struct {
    unsigned char *message;
    size_t size;
    EC_KEY *key;
    unsigned char point[point_size];
    /* The numbers r and s, one after the other. */
    unsigned char signature[2 * hash_size];
} signed_message;

struct bench_floor {
    bench_floor_sizes sizes;
    size_t *items;
    size_t item_count;
    signed_message certificate, issuer, device;
    /* For a session the reader's key, which each run generates again. For envelopes the recipient's key, which is kept. */
    EC_KEY *own;
    unsigned char peer_point[point_size];
    EC_POINT *peer;
    ECDSA_SIG *signature;
    /* The numbers inside signature, which owns them: each verification writes its r and s there. */
    BIGNUM *r, *s;
    BN_CTX *numbers;
    hmac_key no_salt;
    EVP_CIPHER *cipher;
    EVP_CIPHER_CTX *sealing, *opening;
    /* Zeros, in place of the transcript and of the inputs of key derivations. */
    unsigned char *input;
    unsigned char *plaintext, *ciphertext, *request;
    unsigned char tag[tag_size], request_tag[tag_size];
};

/* Fixed values, since only the time of the operations counts. AES-128 uses the first 16 bytes of the key. */
static const unsigned char cipher_key[32] = {1};
static const unsigned char nonce[12] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1};

static int hash(const unsigned char *message, size_t size, unsigned char digest[hash_size]) {
    SHA256_CTX context;
    return SHA256_Init(&context) && SHA256_Update(&context, message, size) && SHA256_Final(digest, &context);
}

/* Hashes the key with the two pads of RFC 2104: 0x36 for the inner hash and 0x5c for the outer hash. */
static int begin_hmac(hmac_key *hmac, const unsigned char key[hash_size]) {
    unsigned char block[64];
    memset(block, 0x36, sizeof block);
    for (int i = 0; i < hash_size; i++) block[i] ^= key[i];
    if (!SHA256_Init(&hmac->inner) || !SHA256_Update(&hmac->inner, block, sizeof block)) return 0;
    /* The inner pad is in the block: this replaces it by the outer pad. */
    for (size_t i = 0; i < sizeof block; i++) block[i] ^= 0x36 ^ 0x5c;
    return SHA256_Init(&hmac->outer) && SHA256_Update(&hmac->outer, block, sizeof block);
}

static int end_hmac(const hmac_key *hmac, const unsigned char *message, size_t size, unsigned char mac[hash_size]) {
    hmac_key copy = *hmac;
    return SHA256_Update(&copy.inner, message, size) && SHA256_Final(mac, &copy.inner)
        && SHA256_Update(&copy.outer, mac, hash_size) && SHA256_Final(mac, &copy.outer);
}

static int encode_point(const EC_KEY *key, unsigned char point[point_size], BN_CTX *numbers) {
    return EC_POINT_point2oct(EC_KEY_get0_group(key), EC_KEY_get0_public_key(key), POINT_CONVERSION_UNCOMPRESSED, point,
                              point_size, numbers) == point_size;
}

/* Does the ECDH with the peer's point. Decoding the point also checks that it is on the curve. */
static int agree(bench_floor *floor, unsigned char secret[hash_size]) {
    return EC_POINT_oct2point(EC_KEY_get0_group(floor->own), floor->peer, floor->peer_point, point_size, floor->numbers)
        && ECDH_compute_key(secret, hash_size, floor->peer, floor->own, NULL) == hash_size;
}

static int seal(bench_floor *floor, size_t size, unsigned char *ciphertext, unsigned char tag[tag_size]) {
    int count, rest;
    return EVP_EncryptInit_ex2(floor->sealing, NULL, cipher_key, nonce, NULL)
        && EVP_EncryptUpdate(floor->sealing, ciphertext, &count, floor->plaintext, (int)size)
        && EVP_EncryptFinal_ex(floor->sealing, ciphertext + count, &rest)
        && EVP_CIPHER_CTX_ctrl(floor->sealing, EVP_CTRL_AEAD_GET_TAG, tag_size, tag);
}

static int open_response(bench_floor *floor) {
    int count, rest;
    return EVP_DecryptInit_ex2(floor->opening, NULL, cipher_key, nonce, NULL)
        && EVP_DecryptUpdate(floor->opening, floor->plaintext, &count, floor->ciphertext, (int)floor->sizes.response)
        && EVP_CIPHER_CTX_ctrl(floor->opening, EVP_CTRL_AEAD_SET_TAG, tag_size, floor->tag)
        && EVP_DecryptFinal_ex(floor->opening, floor->plaintext + count, &rest);
}

/* Does the work of a session up to the sealed request. The derived keys are not used: any key costs the same. */
static int open_session(bench_floor *floor) {
    unsigned char point[point_size], secret[hash_size], digest[hash_size], key[hash_size];
    hmac_key salt, derivation;
    return EC_KEY_generate_key(floor->own) && encode_point(floor->own, point, floor->numbers) && agree(floor, secret)
        && hash(floor->input, floor->sizes.transcript, digest)
        && begin_hmac(&salt, digest) && end_hmac(&salt, secret, sizeof secret, key)
        && begin_hmac(&derivation, key)
        && end_hmac(&derivation, (const unsigned char *)"SKReader\1", 9, key)
        && end_hmac(&derivation, (const unsigned char *)"SKDevice\1", 9, key)
        && seal(floor, floor->sizes.request, floor->request, floor->request_tag);
}

/* Does the key derivation of an envelope. Each message is as long as the label and the input of its step in RFC 9180,
 * 4.1 and 5.1, together. */
static int open_envelope(bench_floor *floor) {
    unsigned char secret[hash_size], key[hash_size], digest[hash_size];
    hmac_key derivation;
    const unsigned char *labelled = floor->input;
    return agree(floor, secret)
        && end_hmac(&floor->no_salt, labelled, 51, key)                          /* eae_prk */
        && begin_hmac(&derivation, key) && end_hmac(&derivation, labelled, 158, secret) /* shared_secret */
        && end_hmac(&floor->no_salt, labelled, 26 + floor->sizes.transcript, digest) /* info_hash */
        && begin_hmac(&derivation, secret) && end_hmac(&derivation, labelled, 23, key) /* secret */
        && begin_hmac(&derivation, key) && end_hmac(&derivation, labelled, 88, key)    /* key */
        && end_hmac(&derivation, labelled, 95, digest)                           /* base_nonce */
        && hash(floor->input, floor->sizes.transcript, digest);
}

static int import_key(bench_floor *floor, signed_message *message) {
    return EC_KEY_oct2key(message->key, message->point, point_size, floor->numbers);
}

static int verify(bench_floor *floor, const signed_message *message) {
    unsigned char digest[hash_size];
    return hash(message->message, message->size, digest)
        && BN_bin2bn(message->signature, hash_size, floor->r)
        && BN_bin2bn(message->signature + hash_size, hash_size, floor->s)
        && ECDSA_do_verify(digest, hash_size, floor->signature, message->key) == 1;
}

static int digest_items(const bench_floor *floor) {
    unsigned char digest[hash_size];
    for (size_t i = 0; i < floor->item_count; i++) {
        if (!hash(floor->plaintext, floor->items[i], digest)) return 0;
    }
    return 1;
}

int bench_floor_run(bench_floor *floor, int knows_signer) {
    int is_open = floor->sizes.request > 0 ? open_session(floor) : open_envelope(floor);
    return is_open && open_response(floor) && digest_items(floor)
        && (knows_signer || (verify(floor, &floor->certificate) && import_key(floor, &floor->issuer)))
        && verify(floor, &floor->issuer)
        && import_key(floor, &floor->device) && verify(floor, &floor->device);
}

static EC_KEY *make_key(void) {
    EC_KEY *key = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
    if (key && EC_KEY_generate_key(key)) return key;
    EC_KEY_free(key);
    return NULL;
}

/* Makes a key and a message of zeros, and signs the message. */
static int make_signed(bench_floor *floor, signed_message *message, size_t size) {
    unsigned char digest[hash_size];
    message->size = size;
    /* One byte more, since calloc may return NULL for a size of 0. */
    message->message = calloc(1, size + 1);
    message->key = make_key();
    if (!message->message || !message->key || !encode_point(message->key, message->point, floor->numbers)
        || !hash(message->message, size, digest))
        return 0;
    ECDSA_SIG *signature = ECDSA_do_sign(digest, hash_size, message->key);
    int is_made = signature
        && BN_bn2binpad(ECDSA_SIG_get0_r(signature), message->signature, hash_size) == hash_size
        && BN_bn2binpad(ECDSA_SIG_get0_s(signature), message->signature + hash_size, hash_size) == hash_size;
    ECDSA_SIG_free(signature);
    return is_made;
}

static int make_agreement(bench_floor *floor) {
    static const unsigned char zeros[hash_size];
    EC_KEY *sender = make_key();
    int is_made = sender && (floor->numbers = BN_CTX_new()) && encode_point(sender, floor->peer_point, floor->numbers)
        && (floor->own = make_key()) && (floor->peer = EC_POINT_new(EC_KEY_get0_group(floor->own)))
        && begin_hmac(&floor->no_salt, zeros);
    EC_KEY_free(sender);
    return is_made;
}

static int make_ciphers(bench_floor *floor, size_t largest) {
    const char *name = floor->sizes.request > 0 ? "AES-256-GCM" : "AES-128-GCM";
    return (floor->cipher = EVP_CIPHER_fetch(NULL, name, NULL))
        && (floor->sealing = EVP_CIPHER_CTX_new()) && (floor->opening = EVP_CIPHER_CTX_new())
        && EVP_EncryptInit_ex2(floor->sealing, floor->cipher, NULL, NULL, NULL)
        && EVP_DecryptInit_ex2(floor->opening, floor->cipher, NULL, NULL, NULL)
        && (floor->input = calloc(1, largest)) && (floor->plaintext = calloc(1, largest))
        && (floor->ciphertext = calloc(1, largest)) && (floor->request = calloc(1, largest))
        && seal(floor, floor->sizes.response, floor->ciphertext, floor->tag);
}

static int make_signatures(bench_floor *floor) {
    return (floor->signature = ECDSA_SIG_new()) && (floor->r = BN_new()) && (floor->s = BN_new())
        && ECDSA_SIG_set0(floor->signature, floor->r, floor->s)
        && make_signed(floor, &floor->certificate, floor->sizes.certificate)
        && make_signed(floor, &floor->issuer, floor->sizes.issuer)
        && make_signed(floor, &floor->device, floor->sizes.device);
}

bench_floor *bench_floor_make(bench_floor_sizes sizes, const size_t *items, size_t item_count) {
    /* 158 bytes are the longest message of HKDF apart from the one with the transcript. */
    size_t largest = 158 + sizes.transcript + sizes.request + sizes.response;
    bench_floor *floor = calloc(1, sizeof *floor);
    if (!floor) return NULL;
    floor->sizes = sizes;
    floor->item_count = item_count;
    floor->items = calloc(item_count + 1, sizeof *items);
    for (size_t i = 0; floor->items && i < item_count; i++) {
        floor->items[i] = items[i];
        if (items[i] > largest) largest = items[i];
    }
    if (floor->items && make_agreement(floor) && make_ciphers(floor, largest) && make_signatures(floor)) return floor;
    bench_floor_free(floor);
    return NULL;
}

static void free_signed(signed_message *message) {
    free(message->message);
    EC_KEY_free(message->key);
}

void bench_floor_free(bench_floor *floor) {
    free_signed(&floor->certificate);
    free_signed(&floor->issuer);
    free_signed(&floor->device);
    ECDSA_SIG_free(floor->signature);
    EC_POINT_free(floor->peer);
    EC_KEY_free(floor->own);
    BN_CTX_free(floor->numbers);
    EVP_CIPHER_CTX_free(floor->sealing);
    EVP_CIPHER_CTX_free(floor->opening);
    EVP_CIPHER_free(floor->cipher);
    free(floor->input);
    free(floor->plaintext);
    free(floor->ciphertext);
    free(floor->request);
    free(floor->items);
    free(floor);
}
