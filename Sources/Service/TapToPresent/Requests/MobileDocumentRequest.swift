public import Foundation

/// A request for a document on somebody's phone, with the type of its answer.
///
/// The requests of this library are all there are: nobody else can make a plan.
public protocol MobileDocumentRequest: Hashable, Sendable {
    /// What the request is answered with.
    associatedtype Response: Hashable, Sendable

    /// What a session makes of the request, or why it is not asked.
    var plan: MobileDocumentRequestPlan<Response> { get throws(MobileDocumentReaderError) }
}

/// A request whose elements come back to the app.
public protocol MobileDocumentDataRequest: MobileDocumentRequest
where Response: MobileDocumentDataResponse {}

/// The elements of a verified document.
public protocol MobileDocumentDataResponse: Hashable, Sendable {}

/// A request whose answer comes back as the phone sent it, for a server that verifies it.
public protocol MobileDocumentRawDataRequest: MobileDocumentRequest
where Response == MobileDocumentRawDataResponse {}

// MARK: Factories

extension MobileDocumentRequest where Self == MobileDriversLicenseDisplayRequest {
    /// Shows the operator elements of a driver's license.
    public static func displayDriversLicense(
        _ elements: [MobileDriversLicenseDisplayRequest.Element],
        options: MobileDriversLicenseDisplayRequest.Options
    ) -> Self {
        Self(elements: elements, options: options)
    }
}

extension MobileDocumentRequest where Self == MobileDriversLicenseDataRequest {
    /// Elements of a driver's license, those that will be kept and those that will not.
    public static func driversLicenseData(
        retaining retainedElements: [MobileDriversLicenseDataRequest.Element] = [],
        notRetaining nonRetainedElements: [MobileDriversLicenseDataRequest.Element] = []
    ) -> Self {
        Self(retainedElements: retainedElements, nonRetainedElements: nonRetainedElements)
    }
}

extension MobileDocumentRequest where Self == MobileDriversLicenseRawDataRequest {
    /// The unverified answer to a request for a driver's license.
    public static func driversLicenseRawData(
        retaining retainedElements: [MobileDriversLicenseRawDataRequest.Element] = [],
        notRetaining nonRetainedElements: [MobileDriversLicenseRawDataRequest.Element] = [],
        issuerIdentifiers: [Data] = []
    ) -> Self {
        Self(
            retainedElements: retainedElements, nonRetainedElements: nonRetainedElements,
            issuerIdentifiers: issuerIdentifiers)
    }
}

extension MobileDocumentRequest where Self == MobilePhotoIDDataRequest {
    /// Elements of a photo ID, those that will be kept and those that will not.
    public static func photoIDData(
        retaining retainedElements: [MobilePhotoIDDataRequest.Element] = [],
        notRetaining nonRetainedElements: [MobilePhotoIDDataRequest.Element] = []
    ) -> Self {
        Self(retainedElements: retainedElements, nonRetainedElements: nonRetainedElements)
    }
}

extension MobileDocumentRequest where Self == MobilePhotoIDRawDataRequest {
    /// The unverified answer to a request for a photo ID.
    public static func photoIDRawData(
        retaining retainedElements: [MobilePhotoIDRawDataRequest.Element] = [],
        notRetaining nonRetainedElements: [MobilePhotoIDRawDataRequest.Element] = [],
        issuerIdentifiers: [Data] = []
    ) -> Self {
        Self(
            retainedElements: retainedElements, nonRetainedElements: nonRetainedElements,
            issuerIdentifiers: issuerIdentifiers)
    }
}

extension MobileDocumentRequest where Self == MobileDocumentDisplayRequest {
    /// Shows the operator elements of whichever of several documents the holder has.
    public static func displayDocument(
        _ elements: [MobileDocumentDisplayRequest.Element], options: MobileDocumentDisplayRequest.Options
    ) -> Self {
        Self(elements: elements, options: options)
    }
}

extension MobileDocumentRequest where Self == MobileNationalIDCardDisplayRequest {
    /// Shows the operator elements of a national ID card.
    public static func nationalIDCard(
        region: Locale.Region, _ elements: [MobileNationalIDCardDisplayRequest.Element],
        options: MobileNationalIDCardDisplayRequest.Options
    ) -> Self {
        Self(region: region, elements: elements, options: options)
    }
}

extension MobileDocumentRequest where Self == MobileNationalIDCardDataRequest {
    /// Elements of a national ID card, those that will be kept and those that will not.
    public static func nationalIDCardData(
        region: Locale.Region, retaining retainedElements: [MobileNationalIDCardDataRequest.Element] = [],
        notRetaining nonRetainedElements: [MobileNationalIDCardDataRequest.Element] = []
    ) -> Self {
        Self(
            region: region, retainedElements: retainedElements, nonRetainedElements: nonRetainedElements)
    }
}

extension MobileDocumentRequest where Self == MobileNationalIDCardRawDataRequest {
    /// The unverified answer to a request for a national ID card.
    public static func nationalIDCardRawData(
        region: Locale.Region, retaining retainedElements: [MobileNationalIDCardRawDataRequest.Element] = [],
        notRetaining nonRetainedElements: [MobileNationalIDCardRawDataRequest.Element] = [],
        issuerIdentifiers: [Data] = []
    ) -> Self {
        Self(
            region: region, retainedElements: retainedElements, nonRetainedElements: nonRetainedElements,
            issuerIdentifiers: issuerIdentifiers)
    }
}
