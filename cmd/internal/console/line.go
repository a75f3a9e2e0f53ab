package console

import (
	"strings"
	"unicode"
)

// part is a part of a status line, which is given up where there is no room for it: the first parts are the last to go.
type part struct{ long, short string }

// alike is a part that has no shorter form.
func alike(text string) part { return part{text, text} }

// long joins all parts.
func long(parts []part) string {
	return join(parts, func(p part) string { return p.long })
}

// fit returns what a row of so many columns has room for: all parts in full, else in short, else the first ones, else
// the beginning of the first.
func fit(parts []part, columns int) string {
	if text := printable(long(parts)); width(text) <= columns {
		return text
	}
	for n := len(parts); n > 0; n-- {
		if text := printable(join(parts[:n], func(p part) string { return p.short })); width(text) <= columns {
			return text
		}
	}
	if len(parts) == 0 || columns <= 0 {
		return ""
	}
	return string([]rune(printable(parts[0].short))[:columns])
}

func join(parts []part, form func(part) string) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = form(p)
	}
	return strings.Join(texts, ", ")
}

// width is how many columns a printable text takes.
func width(text string) int { return len([]rune(text)) }

// firstWide is the first rune that terminals may give two columns: Hangul Jamo. Source: Unicode, EastAsianWidth.txt.
const firstWide = 0x1100

// printable is a text of runes that take one column each on every terminal: it has a question mark in the place of
// others, as a world's name may have them.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= firstWide || !unicode.IsPrint(r) || unicode.Is(unicode.Mn, r) {
			return '?'
		}
		return r
	}, text)
}
