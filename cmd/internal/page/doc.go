// Package page makes the pages of reports: one look in light and dark and on paper, in one file of HTML that needs no
// other and asks no network.
//
// A page is a template that begins with {{template "head" TITLE}} and ends with {{template "foot"}}; {{template
// "charts" .Charts}} shows Charts:
//
//	var report = page.New(text, template.FuncMap{"seconds": seconds})
//	charts, err := page.Charts(plots)
//	err = report.Execute(w, data)
package page
