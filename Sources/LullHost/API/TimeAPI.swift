extension APIOwner {
  static let time = APIOwner.module(
    "lull.time", "Dates of APIs and of HTTP, as seconds since 1970 and back.",
    "`lull.now()` is the time it is; what is between two times is a subtraction.",
    entries: [
      .function(
        "parse", "(text: string): number?, string?",
        "The time a text says, an integer unless it has a fraction; nil and why if it is no date.",
        """
        ISO 8601 and RFC 3339: a day, or a day with a time behind `T` or a space; hyphens and colons, \
        seconds and the offset may be missing. A day alone is its beginning, and without an offset a time \
        is UTC. And the three forms of HTTP headers (RFC 9110), whose day of the week does not count. A \
        leap second is the second after it.
        """,
        example: """
          print(lull.time.parse("2024-05-01T12:11:12+02:00"))      --> 1714558272
          print(lull.time.parse("2024-05-01T10:11:12.5Z"))         --> 1714558272.5
          print(lull.time.parse("Wed, 01 May 2024 10:11:12 GMT"))  --> 1714558272
          print(select(2, lull.time.parse("2023-02-29")))
          --> '2023-02-29' is no date: that month has no day 29
          """, rules: "ENC-10 ENC-11 ENC-12"),
      .function(
        "iso", "(seconds: number, options?: ISOOptions): string",
        "The time as RFC 3339 writes it, in UTC.",
        "Raises outside of the years 0 to 9999.",
        example: """
          print(lull.time.iso(1714558272))                            --> 2024-05-01T10:11:12Z
          print(lull.time.iso(1714558272.25))                         --> 2024-05-01T10:11:12.250Z
          print(lull.time.iso(1714558272, { offset = "+02:00" }))     --> 2024-05-01T12:11:12+02:00
          """, rules: "ENC-13"),
      .function(
        "http", "(seconds: number): string",
        "The time as HTTP headers have it, in whole seconds, of which a fraction is cut off.",
        "Raises outside of the years 0 to 9999.",
        example: """
          print(lull.time.http(1714558272))          --> Wed, 01 May 2024 10:11:12 GMT
          """, rules: "ENC-13"),
    ])

  static let isoOptions = APIOwner.table(
    "ISOOptions", "Options of `lull.time.iso`.",
    entries: [
      .field(
        "digits", "integer?",
        "How many digits of the second's fraction, 0 to 9, rounded; default 3 if it has a fraction, else 0."
      ),
      .field("offset", "string?", "Ahead of UTC or behind, as `\"+02:00\"`; default `\"Z\"`."),
    ])
}
