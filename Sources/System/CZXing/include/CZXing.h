// QR codes in a grey picture, found by ZXing (libzxing), a library in C++ that Swift cannot import.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Finds the QR code whose text begins with a prefix, in any case of the letters. Of several, the longest is found: a
/// sticker with a short text hides no phone.
///
/// - Parameters:
///   - pixels: one byte for each pixel, row after row, `width` times `height` bytes.
///   - prefix: ASCII in lower case, with a final NUL.
///   - text: receives the text of the code, without a final NUL.
///   - capacity: the number of bytes that `text` can receive. A longer code is not found.
/// - Returns: the length of the text; 0 if there is no such code; -1 if the library failed, for example because it has
///   no memory.
long countersign_qr_find(
    const uint8_t *pixels, int width, int height, const char *prefix, uint8_t *text, size_t capacity);

#ifdef __cplusplus
}
#endif
