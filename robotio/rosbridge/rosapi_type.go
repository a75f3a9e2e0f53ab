package rosbridge

import (
	"context"
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/web"
)

// typedef is rosapi/TypeDef.
type typedef struct {
	Type      string   `json:"type"`
	Names     []string `json:"fieldnames"`
	Types     []string `json:"fieldtypes"`
	Lens      []int    `json:"fieldarraylen"` // -1 no array, 0 of variable length
	Examples  []string `json:"examples"`
	ConstName []string `json:"constnames"`
	Consts    []string `json:"constvalues"`
}

// typedefs appends the descriptions of a message and of all nested messages, each once.
func typedefs(def *msg.Definition, out []typedef) []typedef {
	for _, t := range out {
		if t.Type == def.Name {
			return out
		}
	}
	t := typedef{def.Name, []string{}, []string{}, []int{}, []string{}, []string{}, []string{}}
	for _, f := range def.Fields {
		t.Names, t.Types = append(t.Names, f.Name), append(t.Types, f.Base)
		n := f.Len
		switch n {
		case msg.NoArray:
			n = -1
		case msg.Variable:
			n = 0
		}
		t.Lens, t.Examples = append(t.Lens, n), append(t.Examples, example(f))
	}
	for _, c := range def.Constants {
		t.ConstName, t.Consts = append(t.ConstName, c.Name), append(t.Consts, c.Text)
	}
	out = append(out, t)
	for _, f := range def.Fields {
		if n := def.Nested(f.Base); n != nil {
			out = typedefs(n, out)
		}
	}
	return out
}

// example returns the default value of a field in Python syntax, like rosapi.
func example(f msg.Field) string {
	switch {
	case f.Len != msg.NoArray:
		return "[]"
	case !f.Builtin() || f.Base == "time" || f.Base == "duration":
		return "{}"
	case f.Base == "string":
		return ""
	case f.Base == "bool":
		return "False"
	case f.Base == "float32" || f.Base == "float64":
		return "0.0"
	}
	return "0"
}

func (s *Server) messageDetails(ctx context.Context, a args) (result, error) {
	g, err := s.Node.Graph(ctx)
	if err != nil {
		return nil, err
	}
	def, err := web.FindType(ctx, s.Node, g, a.Type)
	if err != nil {
		return nil, err
	}
	return result{"typedefs": typedefs(def, nil)}, nil
}

func (s *Server) serviceDetails(typ string, half func(*msg.ServiceDefinition) *msg.Definition) (result, error) {
	def, err := s.Node.ServiceType(typ)
	if err != nil {
		return nil, fmt.Errorf("type = %.80q: must be in the library: %w", typ, err)
	}
	return result{"typedefs": typedefs(half(def), nil)}, nil
}

func (s *Server) requestDetails(_ context.Context, a args) (result, error) {
	return s.serviceDetails(a.Type, func(d *msg.ServiceDefinition) *msg.Definition { return d.Request })
}

func (s *Server) responseDetails(_ context.Context, a args) (result, error) {
	return s.serviceDetails(a.Type, func(d *msg.ServiceDefinition) *msg.Definition { return d.Response })
}

// topicsAndRawTypes returns all topics with their full definitions; an unknown definition is empty.
func (s *Server) topicsAndRawTypes(ctx context.Context, _ args) (result, error) {
	g, err := s.Node.Graph(ctx)
	if err != nil {
		return nil, err
	}
	topics, types := topicList(g)
	texts, known := []string{}, map[string]string{}
	for _, typ := range types {
		text, ok := known[typ]
		if !ok {
			if def, err := web.FindType(ctx, s.Node, g, typ); err == nil {
				text = def.Text
			}
			known[typ] = text
		}
		texts = append(texts, text)
	}
	return result{"topics": topics, "types": types, "typedefs_full_text": texts}, nil
}
