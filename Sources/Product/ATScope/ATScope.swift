// The modules whose types occur in declarations of this module; `import ATScope` also imports them.
@_exported public import ATSEvaluation
@_exported public import ByteParsing
@_exported public import CertificateParsing
@_exported public import CommandReports
@_exported public import InfoPlistReading
@_exported public import InputSources
@_exported public import PacketFiltering
@_exported public import PacketParsing
@_exported public import PolicyResolution
@_exported public import ReportFormats
@_exported public import Reporting
@_exported public import SessionModel
@_exported public import SessionRecords
@_exported public import TLSParsing
@_exported public import Values
