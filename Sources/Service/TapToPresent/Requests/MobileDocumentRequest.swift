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
        notRetaining nonRetainedElements: [MobileDriversLicenseRawDataRequest.Element] = []
    ) -> Self {
        Self(retainedElements: retainedElements, nonRetainedElements: nonRetainedElements)
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
        notRetaining nonRetainedElements: [MobilePhotoIDRawDataRequest.Element] = []
    ) -> Self {
        Self(retainedElements: retainedElements, nonRetainedElements: nonRetainedElements)
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
