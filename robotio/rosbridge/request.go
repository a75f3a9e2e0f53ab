package rosbridge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
)

// request is a client's message, with the fields of all operations.
type request struct {
	Op           string          `json:"op"`
	ID           json.RawMessage `json:"id"` // any JSON value, returned unchanged
	Topic        string          `json:"topic"`
	Type         string          `json:"type"`
	Service      string          `json:"service"`
	Msg          json.RawMessage `json:"msg"`
	Args         json.RawMessage `json:"args"`
	Values       json.RawMessage `json:"values"`
	Result       *bool           `json:"result"`
	Level        string          `json:"level"`
	Compression  string          `json:"compression"`
	ThrottleRate float64         `json:"throttle_rate"` // ms between messages
	QueueLength  float64         `json:"queue_length"`
	QueueSize    float64         `json:"queue_size"`
	FragmentSize float64         `json:"fragment_size"` // bytes
	Timeout      float64         `json:"timeout"`       // s
	Latch        bool            `json:"latch"`
	Data         json.RawMessage `json:"data"`
	Num          float64         `json:"num"`
	Total        float64         `json:"total"`
}

// parse parses a request.
func parse(b []byte) (*request, error) {
	r := &request{}
	if err := json.Unmarshal(b, r); err != nil {
		return r, fmt.Errorf("message %.60q: must be a JSON object of the protocol: %w", b, err)
	}
	if string(r.ID) == "null" {
		r.ID = nil
	}
	r.Type = strings.Replace(r.Type, "/msg/", "/", 1) // the spelling of ROS 2
	r.Type = strings.Replace(r.Type, "/srv/", "/", 1)
	if r.Op == "" {
		return r, fmt.Errorf("op: must name an operation")
	}
	return r, nil
}

// id returns the request's id as a map key.
func (r *request) id() string { return string(bytes.TrimSpace(r.ID)) }

// maxTime is the maximum of times in requests; a guess.
const maxTime = time.Hour

// milliseconds and seconds convert a time; negative times and NaN become 0.
func milliseconds(v float64) time.Duration { return seconds(v / 1000) }

func seconds(v float64) time.Duration {
	if !(v > 0) {
		return 0
	}
	return time.Duration(min(v, maxTime.Seconds()) * float64(time.Second))
}

// boundedCount rounds a count up and limits it to the range from 0 to 2^16.
func boundedCount(v float64) int {
	if !(v > 0) {
		return 0
	}
	return int(min(math.Ceil(v), 1<<16))
}
