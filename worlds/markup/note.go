package markup

import (
	"cmp"
	"fmt"
)

// Note is something that a file has and that is not carried over.
type Note struct {
	What   string  // such as <transmission name="left">
	Places []Place // where, at least once
}

// Unused lists what reading did not mark as used in a file. Things of the same name in the same kind of element are one
// note.
func Unused(top *Element) (all Notes) {
	unused(top, "", &all)
	return all
}

func unused(e *Element, in string, into *Notes) {
	for _, a := range e.Attrs {
		if !a.Used {
			into.Add(fmt.Sprintf("attribute %s of <%.40s>", a.Name, e.Name), e.Place)
		}
	}
	for _, c := range e.Children {
		if c.Used {
			unused(c, e.Name, into)
			continue
		}
		what := fmt.Sprintf("<%.40s>", c.Name)
		if c.Name == "plugin" {
			what = c.String()
		}
		if in != "" {
			what += fmt.Sprintf(" of <%.40s>", e.Name)
		}
		what = cmp.Or(c.Why, what)
		into.Add(what, c.Place)
	}
}

// Notes lists what is not carried over, in the order in which it was found.
type Notes []Note

// Add adds a thing at a place. Things of the same name are one note.
func (n *Notes) Add(what string, at Place) {
	for i := range *n {
		if (*n)[i].What == what {
			(*n)[i].Places = append((*n)[i].Places, at)
			return
		}
	}
	*n = append(*n, Note{what, []Place{at}})
}

// String returns a note as a text with its lines: "<transmission> (lines 12, 40)".
func (n Note) String() string {
	const most = 200
	text := fmt.Sprintf("%s (line %d", n.What, n.Places[0].Line)
	if len(n.Places) > 1 {
		text = fmt.Sprintf("%s (lines %d", n.What, n.Places[0].Line)
	}
	for i, p := range n.Places[1:] {
		if i == most {
			return fmt.Sprintf("%s and %d more)", text, len(n.Places)-1-most)
		}
		text += fmt.Sprintf(", %d", p.Line)
	}
	return text + ")"
}
