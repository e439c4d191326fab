import Diagnostics

/// Checks of single values. Each returns the problem in one sentence, or `nil`.
package enum SeedValueRules {
  static func slug(_ text: String) -> String? {
    Slug.isValid(text)
      ? nil
      : "'\(text)' is not a slug: lower-case letters and digits in words joined by hyphens, at most "
        + "\(Slug.maximumLength) characters"
  }

  /// `#RRGGBB`.
  static func color(_ text: String) -> String? {
    text.utf8.count == 7 && text.hasPrefix("#") && text.dropFirst().utf8.allSatisfy(\.isHexDigit)
      ? nil : "'\(text)' is not a color of the form #RRGGBB"
  }

  /// Checks the characters of an SF Symbol name. Only Apple's platforms know whether the symbol exists.
  static func icon(_ text: String) -> String? {
    let words = text.split(separator: ".", omittingEmptySubsequences: false)
    let isName = words.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(\.isLowercaseLetterOrDigit) }
    return isName ? nil : "'\(text)' does not look like the name of an SF Symbol"
  }

  static func recordName(_ text: String) -> String? {
    CatalogRecordNames.isValid(text) ? nil : CatalogRecordNames.problem(of: text)
  }

  /// A control character other than a line end or a tab.
  static func control(_ text: String) -> String? {
    guard text.utf8.contains(where: \.mayBeControl) else { return nil }
    return text.unicodeScalars.first(where: \.isUnusableControl).map {
      "the text contains the control character U+\(String($0.value, radix: 16))"
    }
  }

  /// In code points, as JSON Schema counts them.
  static let maximumTagLength = 50

  package static func tag(_ text: String) -> String? {
    if text.isEmpty { return "a tag is empty" }
    if let objection = tagLength(text) { return objection }
    if text.utf8.allSatisfy({ $0.isLowercaseLetterOrDigit || $0 == UInt8(ascii: "-") }) { return nil }
    if text.contains(where: { $0.isWhitespace || $0 == "," }) {
      return "the tag '\(text)' contains white space or a comma"
    }
    return text.unicodeScalars.contains(where: \.isCapital) ? "the tag '\(text)' is not in lower case" : nil
  }

  /// - Parameter text: as written; a decomposed letter is stored as one code point, and a text editor counts two.
  static func tagLength(_ text: String) -> String? {
    text.unicodeScalars.count > maximumTagLength
      ? "the tag is longer than \(maximumTagLength) characters" : nil
  }
}

extension UInt8 {
  /// Whether the byte may begin a control character. Avoids the slower check of Unicode properties for other text.
  fileprivate var mayBeControl: Bool { self < 0x20 || self == 0x7F || self == 0xC2 }
}

extension Unicode.Scalar {
  /// A control character other than a line end or a tab.
  fileprivate var isUnusableControl: Bool {
    properties.generalCategory == .control && self != "\n" && self != "\t"
  }

  /// A letter, a Roman numeral or a circled letter in upper or title case: what the JSON Schema can name too.
  fileprivate var isCapital: Bool {
    if isASCII { return ("A"..."Z").contains(self) }
    return switch properties.generalCategory {
    case .uppercaseLetter, .titlecaseLetter: true
    default: ("\u{2160}"..."\u{216F}").contains(self) || ("\u{24B6}"..."\u{24CF}").contains(self)
    }
  }
}

extension JSONObjectReader {
  /// The language, reduced to what the catalog stores: a two-letter code. Case and region are forgiven with a
  /// warning, because apps compare the stored code for equality.
  mutating func language(_ key: String) -> String? {
    guard let text = text(key), let node = node[key] else { return nil }
    guard let code = LanguageCodes.codeOfTag(text) else {
      report(
        .badLanguage, "'\(text)' is not an ISO 639-1 language code", at: node,
        help: "Write two lower-case letters, such as en, de or ja.")
      return nil
    }
    if code != text {
      report(
        .badLanguage, "the language '\(text)' is stored as '\(code)'", at: node, severity: .warning,
        help: "Write \"\(code)\": the catalog keeps the language without its region.")
    }
    return code
  }

  /// A list of tags; a repeated one is reported and dropped.
  mutating func tags(_ key: String) -> [String] {
    var seen = Set<String>()
    var tags: [String] = []
    for (tag, node) in texts(key) {
      if let objection = SeedValueRules.tag(tag) ?? SeedValueRules.tagLength(node.string ?? tag) {
        report(.badTag, objection, at: node)
      } else if seen.insert(tag).inserted {
        tags.append(tag)
      } else {
        report(.badTag, "the tag '\(tag)' is repeated", at: node)
      }
    }
    return tags
  }
}

/// The two-letter language codes of ISO 639-1.
package enum LanguageCodes {
  /// Each language: its code, then what else names it: the codes of ISO 639-2, those of its usual form in ISO 639-3, former
  /// two-letter codes, its English name, and of some its own name.
  private static let table = """
    aa aar afar, ab abk abkhazian, ae ave avestan, af afr afrikaans, ak aka akan, am amh amharic, \
    an arg aragonese, ar ara arabic العربية arb, as asm assamese, av ava avaric, ay aym aymara, \
    az aze azerbaijani azj, ba bak bashkir, be bel belarusian, bg bul bulgarian, bi bis bislama, \
    bm bam bambara, bn ben bengali bangla, bo bod tib tibetan, br bre breton, bs bos bosnian, \
    ca cat catalan valencian català, ce che chechen, ch cha chamorro, co cos corsican, cr cre cree, \
    cs ces cze czech čeština, cu chu, cv chv chuvash, cy cym wel welsh, da dan danish dansk, \
    de deu ger german deutsch, dv div divehi dhivehi maldivian, dz dzo dzongkha, ee ewe, \
    el ell gre ελληνικά greek, en eng english, eo epo esperanto, es spa spanish castilian español, \
    et est estonian ekk, eu eus baq basque euskara, fa fas per persian pes prs farsi, ff ful fulah, \
    fi fin finnish suomi, fj fij fijian, fo fao faroese, fr fra fre french français, fy fry, ga gle irish, \
    gd gla gaelic, gl glg galician galego, gn grn guarani gug, gu guj gujarati, gv glv manx, ha hau hausa, \
    he heb hebrew עברית iw, hi hin hindi, ho hmo, hr hrv croatian, ht hat haitian, hu hun hungarian magyar, \
    hy hye arm armenian, hz her herero, ia ina interlingua, id ind indonesian in, \
    ie ile interlingue occidental, ig ibo igbo, ii iii nuosu, ik ipk inupiaq, io ido, is isl ice icelandic, \
    it ita italian italiano, iu iku inuktitut, ja jpn japanese 日本語, jv jav javanese jw, ka kat geo georgian, \
    kg kon kongo, ki kik kikuyu gikuyu, kj kua kuanyama kwanyama, kk kaz kazakh, \
    kl kal kalaallisut greenlandic, km khm, kn kan kannada, ko kor korean 한국어, kr kau kanuri, \
    ks kas kashmiri, ku kur kurdish, kv kom komi, kw cor cornish, ky kir kirghiz kyrgyz, la lat latin, \
    lb ltz luxembourgish letzeburgesch, lg lug ganda, li lim limburgan limburger limburgish, ln lin lingala, \
    lo lao, lt lit lithuanian, lu lub luba-katanga, lv lav latvian lvs, mg mlg malagasy plt, \
    mh mah marshallese, mi mri mao maori, mk mkd mac macedonian, ml mal malayalam, mn mon mongolian khk, \
    mr mar marathi, ms msa may malay zsm, mt mlt maltese, my mya bur burmese, na nau nauru, nb nob bokmål, \
    nd nde, ne nep nepali npi, ng ndo ndonga, nl nld dut dutch flemish nederlands, nn nno nynorsk, \
    no nor norwegian norsk, nr nbl, nv nav navajo navaho, ny nya chichewa chewa nyanja, \
    oc oci occitan provençal, oj oji ojibwa, om orm oromo, or ori oriya ory odia, os oss ossetian ossetic, \
    pa pan panjabi punjabi, pi pli pali, pl pol polish polski, ps pus pushto pashto, \
    pt por portuguese português, qu que quechua, rm roh romansh, rn run rundi, \
    ro ron rum romanian moldavian moldovan română mo, ru rus russian русский, rw kin kinyarwanda, \
    sa san sanskrit, sc srd sardinian, sd snd sindhi, se sme, sg sag sango, si sin sinhala sinhalese, \
    sk slk slo slovak, sl slv slovenian, sm smo samoan, sn sna shona, so som somali, sq sqi alb albanian als, \
    sr srp serbian, ss ssw swati, st sot, su sun sundanese, sv swe swedish svenska, sw swa swahili swh, \
    ta tam tamil, te tel telugu, tg tgk tajik, th tha thai, ti tir tigrinya, tk tuk turkmen, tl tgl tagalog, \
    tn tsn tswana, to ton tonga, tr tur turkish türkçe, ts tso tsonga, tt tat tatar, tw twi, ty tah tahitian, \
    ug uig uighur uyghur, uk ukr ukrainian українська, ur urd urdu, uz uzb uzbek uzn, ve ven venda, \
    vi vie vietnamese, vo vol volapük, wa wln walloon, wo wol wolof, xh xho xhosa, yi yid yiddish ji, \
    yo yor yoruba, za zha zhuang chuang, zh zho chi chinese 中文 cmn yue, zu zul zulu
    """

  private static let languages = table.split(separator: ",").map { $0.split(separator: " ").map(String.init) }

  static let codes = Set(languages.compactMap(\.first))

  private static let codesByName = Dictionary(
    languages.flatMap { words in words.map { ($0, words[0]) } }, uniquingKeysWith: { first, _ in first })

  /// The two-letter code of the language that a text names: in a tag such as `pt-BR`, in a longer code (`deu`), or by its
  /// name (`English`). `nil` when it names no language of ISO 639-1
  /// (Documentation/reference/catalog.md#languages).
  package static func code(_ text: String) -> String? {
    codesByName[text.prefix { $0.isLetter }.lowercased()]
  }

  /// The code that a tag such as `pt-BR` begins with; `nil` for any other form. For seeds and parts of addresses, in which
  /// a longer or former code may mean something else.
  package static func codeOfTag(_ tag: String) -> String? {
    let code = tag.prefix { $0 != "-" && $0 != "_" }.lowercased()
    return codes.contains(code) ? code : nil
  }
}
