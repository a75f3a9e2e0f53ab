package console

import (
	"strings"
	"unicode"
)

// part is a part of a status line, in a long and a short form. If the line is too narrow for all parts, fit drops parts
// from the end.
type part struct{ long, short string }

// alike returns a part whose short form is the same as its long form.
func alike(text string) part { return part{text, text} }

// long joins all parts in their long form.
func long(parts []part) string {
	return join(parts, func(p part) string { return p.long })
}

// fit returns a line of at most the given number of columns. It prefers all parts in long form. If they do not fit, it
// takes all parts in short form, then only the first parts, and at last the start of the first part.
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

// width returns the number of columns that a printable text takes.
func width(text string) int { return len([]rune(text)) }

// firstWide is the first rune that may take two columns on a terminal: Hangul Jamo. Source: Unicode,
// EastAsianWidth.txt.
const firstWide = 0x1100

// printable replaces by a question mark each rune that may take more or fewer columns than one. The name of a world may
// have such runes.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= firstWide || !unicode.IsPrint(r) || unicode.Is(unicode.Mn, r) {
			return '?'
		}
		return r
	}, text)
}
