/** The version of the IANA database in this process, such as `2026c`. Later versions sort after earlier ones. */
export const TZDATA_VERSION = process.versions['tz'] ?? '';
