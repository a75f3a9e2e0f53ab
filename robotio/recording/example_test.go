package recording_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/recording"
)

// Example writes three messages, and reads those after the first second.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "match.mcap")

	lib, _ := msg.Load("nubot")
	def, _ := lib.Message("std_msgs/String")
	codec, _ := msg.Compile[msg.String](def)
	w, err := recording.Create(path, recording.Header{Library: "example", Metadata: map[string]string{"seed": "7"}},
		recording.Options{})
	if err != nil {
		panic(err)
	}
	c, err := w.ROSChannel("/referee", def, "/omnipitch", false)
	if err != nil {
		panic(err)
	}
	for i, text := range []string{"kickoff", "start", "goal"} {
		now := time.Duration(i) * time.Second
		c.Write(now, now, codec.Append(nil, &msg.String{Data: text}))
	}
	if err := w.Close(); err != nil {
		panic(err)
	}

	r, err := recording.Open(path)
	if err != nil {
		panic(err)
	}
	defer r.Close()
	fmt.Println("seed", r.Metadata()["seed"])
	for m := r.Messages(time.Second, nil); ; {
		x, err := m.Next()
		if err == io.EOF {
			break
		}
		var s msg.String
		if err == nil {
			err = codec.Decode(x.Data, &s)
		}
		if err != nil {
			panic(err)
		}
		fmt.Println(x.LogTime, x.Channel.Topic, s.Data)
	}
	// Output:
	// seed 7
	// 1s /referee start
	// 2s /referee goal
}
