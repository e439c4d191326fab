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
