/// Public suffixes of two labels under country codes, below which registries register names (policy text D.7).
///
/// These are the common ones; the full list changes weekly and is not included.
package enum CountryCodeSuffixes {
  /// Whether two lowercase labels are a known public suffix.
  package static func contains(_ label: String, under country: String) -> Bool {
    wholeCountries.contains(country) || isListed(country, in: countries[label]) || isListed(label, in: ownLabels[country])
  }

  private static func isListed(_ word: String, in list: String?) -> Bool {
    list?.utf8.split(separator: UInt8(ascii: " ")).contains { $0.elementsEqual(word.utf8) } == true
  }

  /// Countries in which every second-level label is a public suffix.
  private static let wholeCountries: [String] = ["bd", "ck", "er", "fk", "jm", "kh", "mm", "np", "pg"]

  /// Second-level labels that only one country has, by country.
  private static let ownLabels: [String: String] = [
    "il": "idf muni", "in": "nic res", "jp": "ad ed gr lg", "kr": "es hs kg ms pe re",
    "nz": "cri geek govt health iwi kiwi maori parliament", "tr": "av bbs bel dr kep tel", "uk": "nhs plc police", "uy": "gub",
    "za": "law",
  ]

  /// Other second-level labels, each with the countries that have it.
  private static let countries: [String: String] = [
    "ac": """
    at be cn cr cy fj id il in ir jp ke kr lk ma me mu mw mz ni nz pa pr rs rw se sz th tj tz ug \
    uk za zm zw
    """,
    "asn": "au lv",
    "asso": "dz fr km mc re",
    "biz": "cy id mv mw nr pk pl tj tr tt vn",
    "co": """
    ag am ao at bb bi bw ci cl cr gg gl gy hu id il im in ir it je jp ke kr ls ma me mu mw mz na \
    ni nz om pn pw rs rw st sz th tj tm tt tz ug uk us uz ve vi za zm zw
    """,
    "com": """
    ac af ag ai al am ar au aw az ba bb bh bi bm bn bo br bs bt by bz ci cn co cu cw cy dm do dz \
    ec ee eg es et fj fm fr ge gh gi gl gn gp gr gt gu gy hk hn hr ht im io iq is jo kg ki km kp \
    ky kz la lb lc lk lr lv ly mg mk ml mo ms mt mu mv mw mx my na nf ng ni nr om pa pe pf ph pk \
    pl pr ps pt py qa re ro sa sb sc sd sg sh sl sn so st sv sy tj tm tn to tr tt tw ua ug uy uz \
    vc ve vi vn vu ws ye zm
    """,
    "edu": """
    ac af al ar au az ba bb bh bi bm bn bo br bs bt bz ci cn co cu cv cw dm do dz ec ee eg es et \
    fm gd ge gh gi gl gn gp gr gt gu gy hk hn ht in iq is it jo kg ki km kn kp ky kz la lb lc lk \
    lr ls lv ly me mg mk ml mn mo ms mt mv mw mx my mz ng ni nr om pa pe pf ph pk pl pn pr ps pt \
    py qa rs sa sb sc sd sg sl sn so st sv sy tj tm to tr tt tw ua uy vc ve vn vu ws ye za zm
    """,
    "firm": "co ht in nf ro ve",
    "gen": "in nz tr",
    "go": "ci cr id jp ke kr th tj tz ug",
    "gob": "ar bo cl do ec es gt hn mx ni pa pe sv ve",
    "gouv": "ci fr ht km ml sn",
    "gov": """
    ac ae af al ar as au az ba bb bf bh bm bn br bs bt by bz cd cl cm cn co cu cx cy dm do dz ec \
    ee eg et fj ge gh gi gn gr gu gy hk ie il in iq ir is it jo kg ki km kn kp kz la lb lc lk lr \
    ls lt lv ly ma me mg mk ml mn mo mr ms mu mv mw my mz ng nr om ph pk pl pn pr ps pt py qa rs \
    rw sa sb sc sd sg sh sl sx sy tj tl tm tn to tr tt tw ua uk vc ve vn ws ye za zm zw
    """,
    "id": "au ir lv ly",
    "idv": "hk tw",
    "ind": "br in tn",
    "info": "az bb co ec fj ht hu ke ki la mv nf nr pk pl pr ro tn tr tt tz ve vn zm",
    "k12": "il tr",
    "ltd": "cy gi lk uk",
    "me": "ke ss tz uk",
    "mil": """
    ac ae al ar az ba bo br by cl cn co do ec eg fj ge gh gt hn id in iq jo kg km kr kz lv mg mv \
    my mz ng ni no nz pe ph pl py qa rw sh st sy tj tm to tr tw tz uy vc ve ye za zm zw
    """,
    "name": "az eg et fj hr jo mk mv my na ng pr qa tj tr tt vn",
    "ne": "jp ke kr tz ug us",
    "net": """
    ac ae af ag ai al am ar au az ba bb bh bm bn bo br bs bt bz ci cn co cu cw cy dm do dz ec eg \
    et fj fm ge gg gl gn gp gr gt gu gy hk hn ht id il im in iq ir is je jo kg ki kn ky kz la lb \
    lc lk lr lv ly ma me mk ml mo ms mt mu mv mw mx my mz nf ng ni nr nz om pa pe ph pk pl pn pr \
    ps pt py qa rw sa sb sc sd sg sh sl so st sy th tj tm tn to tr tt tw ua uk uy uz vc ve vi vn \
    vu ws ye za
    """,
    "nom": "ad co es fr pa pe pl za",
    "or": "at bi ci cr id it jp ke kr mu na pw th tz ug us",
    "org": """
    ac ae af ag ai al am ar au az ba bb bh bi bm bn bo br bs bt bw bz ci cn co cu cv cw cy dm do \
    dz ec ee eg es et fj fm ge gg gh gi gl gn gp gr gt gu gy hk hn ht hu il im in iq ir is je jo \
    kg ki km kn kp ky kz la lb lc lk lr ls lv ly ma me mg mk ml mn mo ms mt mu mv mw mx my mz na \
    ng ni nr nz om pa pe pf ph pk pl pn pr ps pt py qa ro rs rw sa sb sc sd se sg sh sl sn so st \
    sv sy sz tj tm tn to tr tt tw ua ug uk uy uz vc ve vi vn vu ws ye za zm zw
    """,
    "per": "la nf sg",
    "pol": "dz ht tr",
    "prd": "fr km mg",
    "priv": "at hu me no pl",
    "pro": "az cy ec fj ht mv na om pr tt vn",
    "sc": "ke kr tz ug us",
    "sch": "ae id ir jo lk ly ng qa sa zm",
    "school": "nz za",
    "tm": "cy fr hu km mc mg no pl ro se za",
    "tv": "bb bo br im na sd tr tz",
    "web": "co do id lk nf tj tr ve za",
  ]
}
