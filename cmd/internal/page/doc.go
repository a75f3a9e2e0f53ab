// Package page draws plots as PNG and SVG, and builds the HTML pages of reports. Pages share one style, for light and
// dark screens and for paper. A page is one HTML file that needs no other file and no network.
//
// A page is a template that begins with {{template "head" TITLE}} and ends with {{template "foot"}}. {{template
// "charts" .Charts}} shows Charts:
//
//	var report = page.New(text, template.FuncMap{"seconds": seconds})
//	charts, err := page.Charts(plots)
//	err = report.Execute(w, data)
package page
