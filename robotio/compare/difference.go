package compare

import (
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// difference describes the first difference between an expected and a found definition.
func difference(want, found *msg.Definition) string { return differ(want, found, "") }

func differ(want, found *msg.Definition, path string) string {
	for i := range want.Fields {
		w := &want.Fields[i]
		if i >= len(found.Fields) {
			return fmt.Sprintf("it has no field %s%s", path, w.Name)
		}
		f := &found.Fields[i]
		if w.Name != f.Name || w.Len != f.Len || w.Base != f.Base {
			return fmt.Sprintf("it has %s %s%s where %s %s%s is expected", f.Type(), path, f.Name, w.Type(), path,
				w.Name)
		}
		inWant, inFound := want.Nested(w.Base), found.Nested(f.Base)
		if inWant == nil || inFound == nil || inWant.MD5 == inFound.MD5 {
			continue
		}
		if text := differ(inWant, inFound, path+w.Name+"."); text != "" {
			return text
		}
	}
	if n := len(want.Fields); len(found.Fields) > n {
		f := &found.Fields[n]
		return fmt.Sprintf("it has %s %s%s besides", f.Type(), path, f.Name)
	}
	if path == "" {
		return "its fields are the same, and its constants are not"
	}
	return ""
}
