package msg

import (
	"fmt"
	"strings"
)

// maxFull bounds a full definition text in bytes. A guess: those of ROS's largest messages take about 20 KB.
const maxFull = 256 << 10

// ParseFull returns the definition of the message name (package/Type) from a full definition text. That has the
// definition and then, for each dependency, a line of equals signs, a line "MSG: package/Type" and its definition.
// Publishers send it in connection headers, and Definition.Text has it. ParseFull fails if the text is invalid or a
// dependency is missing. Source: genmsg 0.5, gentools.compute_full_text; genpy, dynamic.generate_dynamic.
func ParseFull(name, text string) (*Definition, error) {
	if len(text) > maxFull {
		return nil, fmt.Errorf("%s: %d bytes: a full definition has at most %d", name, len(text), maxFull)
	}
	l := &Library{}
	for part, rest, more := cutSeparator(text); ; part, rest, more = cutSeparator(rest) {
		who := name
		if l.msgs != nil { // not in the first part
			var line string
			line, part, _ = strings.Cut(part, "\n")
			var ok bool
			if who, ok = strings.CutPrefix(strings.TrimSpace(line), "MSG:"); !ok {
				return nil, fmt.Errorf("%s: line %.80q after a separator: must be MSG: package/Type", name, line)
			}
			who = strings.TrimSpace(who)
		}
		if err := l.AddMessage(who, part); err != nil {
			return nil, err
		}
		if !more {
			break
		}
	}
	m, err := l.Message(name)
	if err == nil {
		m.Text = text
	}
	return m, err
}

// cutSeparator splits text at its first line of equals signs.
func cutSeparator(text string) (part, rest string, more bool) {
	for i := 0; i < len(text); {
		end := strings.IndexByte(text[i:], '\n')
		next := i + end + 1
		if end < 0 {
			next = len(text)
		}
		if line := strings.TrimSpace(text[i:next]); len(line) >= 80 && strings.Trim(line, "=") == "" {
			return strings.TrimSuffix(text[:i], "\n"), text[next:], true
		}
		i = next
	}
	return text, "", false
}
