package dashboard

import _ "github.com/chromedp/chromedp"
