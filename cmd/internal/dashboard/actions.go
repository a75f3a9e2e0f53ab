package dashboard

import (
	"net/http"
	"strings"

	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// actionJSON describes an action of world files.
type actionJSON struct {
	Key   string    `json:"key"`
	About string    `json:"about"`
	Keys  []keyJSON `json:"keys"`
}

// keyJSON describes a key in the table of an action, or in a table within it.
type keyJSON struct {
	Key      string    `json:"key"`
	Type     string    `json:"type"`
	Unit     string    `json:"unit,omitempty"`
	Rule     string    `json:"rule,omitempty"`    // which values are valid, in words
	Default  string    `json:"default,omitempty"` // as in world files
	About    string    `json:"about,omitempty"`
	Required bool      `json:"required,omitempty"`
	Choices  []string  `json:"choices,omitempty"` // the permitted values
	Names    []string  `json:"names,omitempty"`   // the names that this world has
	Keys     []keyJSON `json:"keys,omitempty"`    // the keys of a table, or of each table in an array
}

// actionsOf describes all actions that a world can use. The descriptions come from the tags of the actions' fields.
func actionsOf(w *worlds.World) []actionJSON {
	list := []actionJSON{}
	for _, d := range schema.Describe(&action.Choice{}) {
		path := strings.Split(strings.ReplaceAll(d.Path, "[]", ""), ".")
		if len(path) == 1 {
			list = append(list, actionJSON{d.Key, d.Doc, []keyJSON{}})
			continue
		}
		last := &list[len(list)-1]
		keys := &last.Keys
		for range path[2:] {
			keys = &(*keys)[len(*keys)-1].Keys
		}
		*keys = append(*keys, keyJSON{d.Key, d.Type, d.Unit, d.Rule, d.Default, d.Doc, d.Required, d.Choices,
			namesOf(w, last.Key, d.Key), nil})
	}
	return list
}

// namesOf returns the names in a world that a key of an action can refer to.
func namesOf(w *worlds.World, of, key string) (names []string) {
	switch {
	case key == "robot":
		for i := range w.Robots {
			names = append(names, w.Robots[i].Name)
		}
	case of == "place" && key == "name":
		names = append([]string{"ball"}, namesOf(w, of, "robot")...)
		for i := range w.Obstacles {
			names = append(names, w.Obstacles[i].Name)
		}
	case of == "hang" && key == "name":
		for i := range w.Boards {
			names = append(names, w.Boards[i].Name)
		}
	case of == "set_lamp" && key == "name":
		for i := range w.Light.Spots {
			names = append(names, w.Light.Spots[i].Name)
		}
	}
	return names
}

func (s *simServer) actions(*http.Request) (any, error) {
	world, _ := s.states.current()
	return actionsOf(world), nil
}
