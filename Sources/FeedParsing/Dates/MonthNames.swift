/// The names of months in the languages of feeds other than English.
enum MonthNames {
  /// 1...12 for a name or an abbreviation, in lower case and without a final full stop.
  static func month(_ word: String) -> Int? { table[word] }

  private static let table: [String: Int] = {
    var table: [String: Int] = [:]
    for line in languages.split(separator: "\n") {
      for (index, names) in line.split(separator: " ").enumerated() {
        for name in names.split(separator: "|") where table[String(name)] == nil {
          table[String(name)] = index + 1
        }
      }
    }
    return table
  }()

  /// One language a line, one month a word, alternatives with `|`. Where two languages use a word for different months,
  /// the earlier line wins.
  private static let languages = """
    januar|jänner|jän|jan februar|feber|feb märz|mär|maerz|mrz april|apr mai juni|jun juli|jul august|aug \
    september|sept|sep oktober|okt november|nov dezember|dez
    janvier|janv février|févr|fév|fevrier|fevr|fev mars avril|avr mai juin|jui juillet|juil août|aout|aoû \
    septembre|sept octobre|oct novembre|nov décembre|déc|decembre
    enero|ene febrero marzo abril|abr mayo|may junio julio agosto|ago septiembre|setiembre|set octubre \
    noviembre diciembre|dic
    gennaio|gen|genn febbraio|febbr marzo|marz aprile maggio|mag|magg giugno|giu luglio|lug agosto|ago \
    settembre|sett ottobre|ott novembre dicembre|dic
    janeiro fevereiro|fev março|marco abril maio junho julho agosto setembro outubro|out novembro dezembro
    januari februari maart|mrt april mei juni juli augustus september oktober november december
    januar februar marts|mart april maj juni juli august september oktober november december|des|desember
    januari februari mars april maj juni juli augusti september oktober november december
    tammikuu|tammikuuta|tammi helmikuu|helmikuuta|helmi maaliskuu|maaliskuuta|maalis \
    huhtikuu|huhtikuuta|huhti toukokuu|toukokuuta|touko kesäkuu|kesäkuuta|kesä heinäkuu|heinäkuuta|heinä \
    elokuu|elokuuta|elo syyskuu|syyskuuta|syys lokakuu|lokakuuta|loka marraskuu|marraskuuta|marras \
    joulukuu|joulukuuta|joulu
    styczeń|stycznia|sty luty|lutego|lut marzec|marca kwiecień|kwietnia|kwi maj|maja czerwiec|czerwca|cze \
    lipiec|lipca|lip sierpień|sierpnia|sie wrzesień|września|wrz październik|października|paź \
    listopad|listopada|lis grudzień|grudnia|gru
    leden|ledna|led únor|února|úno březen|března|bře duben|dubna|dub květen|května|kvě červen|června|čvn \
    červenec|července|čvc srpen|srpna|srp září|zář říjen|října|říj listopad|listopadu|lis \
    prosinec|prosince|pro
    január|januára február|februára marec|marca apríl|apríla máj|mája jún|júna júl|júla august|augusta \
    september|septembra október|októbra november|novembra december|decembra
    január február|februári|febr március|márc április|ápr május|máujus|máj június|jún július|júl \
    augusztus szeptember|szept|szep október november december
    ianuarie|ian februarie martie aprilie mai iunie|iun iulie|iul august septembrie octombrie noiembrie \
    decembrie
    siječanj|siječnja veljača|veljače ožujak|ožujka travanj|travnja svibanj|svibnja lipanj|lipnja \
    srpanj|srpnja kolovoz|kolovoza rujan|rujna listopad studeni|studenoga|studenog prosinac|prosinca
    januar|januara februar|februara mart|marta april|aprila maj|maja jun|juna jul|jula avgust|avgusta|avg \
    septembar|septembra oktobar|oktobra novembar|novembra decembar|decembra
    januar|januarja februar|februarja marec|marca april|aprila maj|maja junij|junija julij|julija \
    avgust|avgusta september|septembra oktober|oktobra november|novembra december|decembra
    ocak|oca şubat|şub mart nisan|nis mayıs haziran|haz temmuz|tem ağustos|ağu eylül|eyl ekim|eki \
    kasım|kas aralık|ara
    jaanuar|jaan veebruar|veebr märts aprill mai juuni juuli august september oktoober november detsember|dets
    janvāris|janvārī februāris|februārī marts aprīlis|aprīlī maijs|maijā jūnijs|jūnijā jūlijs|jūlijā \
    augusts|augustā septembris|septembrī oktobris|oktobrī novembris|novembrī decembris|decembrī
    sausis|sausio vasaris|vasario kovas|kovo balandis|balandžio gegužė|gegužės birželis|birželio \
    liepa|liepos rugpjūtis|rugpjūčio rugsėjis|rugsėjo spalis|spalio lapkritis|lapkričio gruodis|gruodžio
    gener febrer març abril maig juny juliol agost setembre octubre novembre desembre
    urtarrila|urtarrilak|urtarrilaren otsaila|otsailak|otsailaren martxoa|martxoak|martxoaren \
    apirila|apirilak|apirilaren maiatza|maiatzak|maiatzaren ekaina|ekainak|ekainaren \
    uztaila|uztailak|uztailaren abuztua|abuztuak|abuztuaren iraila|irailak|irailaren \
    urria|urriak|urriaren azaroa|azaroak|azaroaren abendua|abenduak|abenduaren
    xaneiro febreiro marzo abril maio xuño xullo agosto setembro outubro novembro decembro
    januari februari maret april mei juni juli agustus|agt|agu september oktober november|nop desember
    januari februari mac april mei jun julai ogos september oktober november disember|dis
    ionawr chwefror mawrth ebrill mai mehefin gorffennaf awst medi hydref tachwedd rhagfyr
    janúar febrúar mars apríl maí júní júlí ágúst september október nóvember|nóv desember
    янв|январь|января фев|февр|февраль|февраля мар|март|марта апр|апрель|апреля май|мая июн|июнь|июня \
    июл|июль|июля авг|август|августа сен|сент|сентябрь|сентября окт|октябрь|октября \
    ноя|нояб|ноябрь|ноября дек|декабрь|декабря
    січ|січень|січня лют|лютий|лютого бер|березень|березня кві|квіт|квітень|квітня тра|трав|травень|травня \
    чер|черв|червень|червня лип|липень|липня сер|серп|серпень|серпня вер|верес|вересень|вересня \
    жов|жовт|жовтень|жовтня лис|листоп|листопад|листопада гру|груд|грудень|грудня
    студзень|студзеня люты|лютага сакавік|сакавіка красавік|красавіка май|мая чэрвень|чэрвеня \
    ліпень|ліпеня жнівень|жніўня верасень|верасня кастрычнік|кастрычніка лістапад|лістапада \
    снежань|снежня
    яну|януари фев|февр|февруари март април май юни юли авг|август сеп|септември окт|октомври \
    ное|ноември дек|декември
    јан|јануар|јануари феб|фебруар|фебруари мар|март апр|април мај јун|јуни јул|јули авг|август \
    сеп|септембар|септември окт|октобар|октомври нов|новембар|ноември дец|децембар|декември
    ιαν|ιανουάριος|ιανουαρίου|ιανουαριου φεβ|φεβρουάριος|φεβρουαρίου|φεβρουαριου \
    μάρ|μαρ|μάώ|μαώ|μάρτιος|μαρτίου|μαρτιου απρ|απρίλιος|απριλίου|απριλιου \
    μάι|μαϊ|μαι|μαΐ|μάϊ|μάιος|μαΐου|μαΪου|μαιου ιούν|ιον|ιουν|ιούνιος|ιουνίου|ιουνιου \
    ιούλ|ιολ|ιουλ|ιούλιος|ιουλίου|ιουλιου αύγ|αυγ|αύγουστος|αυγούστου|αυγουστου \
    σεπ|σεπτ|σεπτέμβριος|σεπτεμβρίου|σεπτεμβριου οκτ|οκτώβριος|οκτωβρίου|οκτωβριου \
    νοέ|νοε|νοέμ|νοεμ|νοέμβριος|νοεμβρίου|νοεμβριου δεκ|δεκέμβριος|δεκεμβρίου|δεκεμβριου
    ינואר|בינואר|ינו פברואר|בפברואר|פבר מרץ|במרץ|מרס|במרס אפריל|באפריל|אפר מאי|במאי יוני|ביוני \
    יולי|ביולי אוגוסט|באוגוסט|אוג ספטמבר|בספטמבר|ספט אוקטובר|באוקטובר|אוק נובמבר|בנובמבר|נוב \
    דצמבר|בדצמבר|דצמ
    يناير فبراير مارس أبريل|ابريل|إبريل مايو يونيو|يونيه يوليو|يوليه أغسطس|اغسطس سبتمبر أكتوبر|اكتوبر \
    نوفمبر ديسمبر
    كانون_الثاني شباط آذار نيسان أيار حزيران تموز آب أيلول تشرين_الأول تشرين_الثاني كانون_الأول
    ژانویه فوریه مارس آوریل مه ژوئن ژوئیه اوت سپتامبر اکتبر نوامبر دسامبر
    जनवरी|जन फ़रवरी|फरवरी|फर मार्च अप्रैल मई जून जुलाई अगस्त सितंबर|सितम्बर अक्टूबर|अक्तूबर नवंबर|नवम्बर \
    दिसंबर|दिसम्बर
    มกราคม|ม.ค. กุมภาพันธ์|ก.พ. มีนาคม|มี.ค. เมษายน|เม.ย. พฤษภาคม|พ.ค. มิถุนายน|มิ.ย. กรกฎาคม|ก.ค. \
    สิงหาคม|ส.ค. กันยายน|ก.ย. ตุลาคม|ต.ค. พฤศจิกายน|พ.ย. ธันวาคม|ธ.ค.
    """
}
