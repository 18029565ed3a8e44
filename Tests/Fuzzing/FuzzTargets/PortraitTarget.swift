internal import PortraitImage
internal import countersign_portrait

/// A portrait from its bytes to what a browser shows, as the process that decodes portraits does it; without its
/// confinement.
@discardableResult
func fuzzPortrait(_ input: ArraySlice<UInt8>) -> Bool {
    let bytes = Array(input)
    guard let shown = try? Rendering.render(bytes) else { return false }
    do throws(ImageHeaderError) {
        let (header, again) = try (ImageHeader.parse(bytes[...]), ImageHeader.parse(shown))
        demand((again.width, again.height) == (header.width, header.height), "an image of another size")
        demand(again.kind == (header.kind == .jpeg2000 ? .png : header.kind), "an image of another kind")
        demand(again.image == shown.indices, "an image with more around it")
        return true
    } catch {
        fatalError("what is shown is no image")
    }
}
