// The types of `Result::text()` in the next version, so that the header says nothing about the change.
#define ZX_USE_UTF8

#include "CZXing.h"

#include <ZXing/ReadBarcode.h>

#include <algorithm>
#include <cstring>

namespace {

// The maximum number of codes that are read in one picture. Two phones and a poster fit into it.
constexpr uint8_t most_codes = 8;

char lower_case(uint8_t byte) {
    return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte | 0x20) : static_cast<char>(byte);
}

bool begins_with(const ZXing::ByteArray &text, const char *prefix) {
    const size_t length = std::strlen(prefix);
    if (text.size() < length) return false;
    return std::equal(prefix, prefix + length, text.begin(),
                      [](char wanted, uint8_t found) { return wanted == lower_case(found); });
}

}  // namespace

long countersign_qr_find(
    const uint8_t *pixels, int width, int height, const char *prefix, uint8_t *text, size_t capacity) {
    // No exception may pass a caller in Swift.
    try {
        ZXing::DecodeHints hints;
        hints.setFormats(ZXing::BarcodeFormat::QRCode);
        hints.setMaxNumberOfSymbols(most_codes);
        long length = 0;
        const ZXing::ImageView picture(pixels, width, height, ZXing::ImageFormat::Lum);
        for (const auto &code : ZXing::ReadBarcodes(picture, hints)) {
            const ZXing::ByteArray &found = code.bytes();
            if (!code.isValid() || found.size() > capacity || !begins_with(found, prefix)) continue;
            if (static_cast<long>(found.size()) <= length) continue;
            std::copy(found.begin(), found.end(), text);
            length = static_cast<long>(found.size());
        }
        return length;
    } catch (...) {
        return -1;
    }
}
