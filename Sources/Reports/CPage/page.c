// The script and the style of the HTML report, which the program contains. The compiler tracks the embedded files.
#include "CPage.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

const unsigned char atscope_page_script[] = {
#embed "script/data.js"
    ,
#embed "script/charts.js"
    ,
#embed "script/overview.js"
    ,
#embed "script/sessions.js"
    ,
#embed "script/details.js"
};

const unsigned char atscope_page_style[] = {
#embed "style.css"
};

const size_t atscope_page_script_count = sizeof atscope_page_script;
const size_t atscope_page_style_count = sizeof atscope_page_style;
