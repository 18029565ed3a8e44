internal import PortraitImage

/// A header that is taken stays within the limits, and names bytes that are there.
func fuzzImageHeader(_ input: ArraySlice<UInt8>) {
    do throws(ImageHeaderError) {
        let header = try ImageHeader.parse(input)
        let limits = ImageLimits.portrait
        demand(header.width > 0 && header.width <= limits.side, "a width beyond the limits")
        demand(header.height > 0 && header.height <= limits.side, "a height beyond the limits")
        demand(header.width * header.height <= limits.pixels, "more pixels than allowed")
        demand(!header.image.isEmpty && input.indices.contains(header.image.lowerBound), "an image elsewhere")
        demand(header.image.upperBound <= input.endIndex, "an image beyond the input")
        checkAgain(header, input[header.image])
    } catch {
        if case .truncated(let place) = error { demand(place <= input.endIndex, "an end beyond the input") }
    }
}

/// What was cut out is the same image again.
private func checkAgain(_ header: ImageHeader, _ image: ArraySlice<UInt8>) {
    do throws(ImageHeaderError) {
        let again = try ImageHeader.parse(image)
        demand(again == header, "an image cut out reads differently")
    } catch {
        fatalError("an image cut out is refused")
    }
}
