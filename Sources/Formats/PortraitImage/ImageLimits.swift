/// What is taken as a portrait. ISO/IEC 18013-5 names no size; wallets send from 192 × 240 to about 1000 × 1300.
package struct ImageLimits: Sendable {
    package let bytes: Int
    /// Pixels along one side.
    package let side: Int
    package let pixels: Int
    /// Tiles of a JPEG 2000 image; each costs memory before one pixel is read.
    package let tiles: Int
    /// Segments, chunks or boxes.
    package let parts: Int

    package init(
        bytes: Int = 1 << 20, side: Int = 4096, pixels: Int = 1 << 22, tiles: Int = 64, parts: Int = 4096
    ) {
        self.bytes = bytes
        self.side = side
        self.pixels = pixels
        self.tiles = tiles
        self.parts = parts
    }

    package static let portrait = ImageLimits()
}
