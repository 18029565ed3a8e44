/* Decodes a DeviceResponse (ISO/IEC 18013-5, 8.3.2.1.2.2) with libcbor, with every item that is embedded in it: the items,
 * the device's namespaces, the protected headers and the mobile security object. Hardware/check-ratios compares our own
 * decoding with it.
 *
 *   cbor_floor FILE ROUNDS
 *
 * Exit status: 0, or 1 where the file is no response with all of these. */
#include <cbor.h>
#include <stdio.h>
#include <stdlib.h>

enum { largest = 1 << 20, embedded_item = 24 };

static int decode(const unsigned char *bytes, size_t size);

/* The item that a byte string holds. Counted, so that a walk that reaches none of them does not pass. */
static int embedded_count;

static int decode_content(const cbor_item_t *string) {
    embedded_count++;
    return decode(cbor_bytestring_handle(string), cbor_bytestring_length(string));
}

static int is_string(const cbor_item_t *item) { return cbor_isa_bytestring(item) && cbor_bytestring_is_definite(item); }

/* COSE_Sign1 (RFC 9052, 4.2): four members, of which the first and the third hold items if they are not empty or null. */
static int is_signature(const cbor_item_t *array) {
    if (cbor_array_size(array) != 4) return 0;
    cbor_item_t **members = cbor_array_handle(array);
    return is_string(members[0]) && cbor_isa_map(members[1]) && is_string(members[3]);
}

static int walk(cbor_item_t *item) {
    if (cbor_isa_tag(item)) {
        cbor_item_t *content = cbor_move(cbor_tag_item(item));
        return cbor_tag_value(item) == embedded_item && is_string(content) ? decode_content(content) : walk(content);
    }
    if (cbor_isa_map(item)) {
        struct cbor_pair *pairs = cbor_map_handle(item);
        for (size_t i = 0; i < cbor_map_size(item); i++)
            if (!walk(pairs[i].value)) return 0;
    }
    if (cbor_isa_array(item)) {
        cbor_item_t **members = cbor_array_handle(item);
        if (is_signature(item)) return decode_content(members[0]) && (!is_string(members[2]) || decode_content(members[2]));
        for (size_t i = 0; i < cbor_array_size(item); i++)
            if (!walk(members[i])) return 0;
    }
    return 1;
}

static int decode(const unsigned char *bytes, size_t size) {
    struct cbor_load_result result;
    cbor_item_t *item = cbor_load(bytes, size, &result);
    if (!item) return 0;
    int is_decoded = result.read == size && walk(item);
    cbor_decref(&item);
    return is_decoded;
}

int main(int count, char **words) {
    static unsigned char bytes[largest];
    FILE *file = count == 3 ? fopen(words[1], "rb") : NULL;
    if (!file) return 1;
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (long rounds = atol(words[2]); rounds > 0; rounds--) {
        embedded_count = 0;
        /* At least an item, the device's namespaces, the payload and what is in it, and two protected headers. */
        if (!decode(bytes, size) || embedded_count < 6) return 1;
    }
    return 0;
}
