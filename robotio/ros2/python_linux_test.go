package ros2

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/ddspeer"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/pypi"
)

// cycloneClient calls the services of parameters and of the action /a/steps in the dialect of rmw_cyclonedds, with
// definitions written for CycloneDDS's own encoder. It prints what it receives as JSON.
const cycloneClient = `
import dataclasses, json, sys, time
from cyclonedds.core import Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.types import array, byte, float64, int32, int64, int8, sequence, uint32, uint64, uint8
from cyclonedds.pub import DataWriter, Publisher
from cyclonedds.sub import DataReader, Subscriber
from cyclonedds.topic import Topic
from cyclonedds.util import duration

def struct(name, /, **fields):
    return dataclasses.dataclass(type(name, (IdlStruct,), {"__annotations__": fields}, typename=name))

domain = DomainParticipant(int(sys.argv[1]))
reliable = Qos(Policy.Reliability.Reliable(duration(seconds=1)), Policy.History.KeepLast(100))
latched = Qos(Policy.Reliability.Reliable(duration(seconds=1)), Policy.History.KeepLast(100),
              Policy.Durability.TransientLocal)
ids = {"client": uint64, "number": int64}

def wait(ok):
    end = time.monotonic() + 50
    while not ok():
        if time.monotonic() > end:
            sys.exit("timeout")
        time.sleep(0.002)

class Client:
    def __init__(self, name, scope, typ, request, response):
        self.request = struct(f"{scope}::dds_::{typ}_Request_", **ids, **request)
        self.reader = DataReader(Subscriber(domain), Topic(domain, f"rr/{name}Reply",
            struct(f"{scope}::dds_::{typ}_Response_", **ids, **response)), qos=reliable)
        self.writer = DataWriter(Publisher(domain), Topic(domain, f"rq/{name}Request", self.request), qos=reliable)
        self.number = 0
        wait(lambda: self.writer.get_matched_subscriptions() and self.reader.get_matched_publications())

    def call(self, *values):
        self.number += 1
        self.writer.write(self.request(7, self.number, *values))
        got = []
        wait(lambda: got.extend(x for x in self.reader.take(10) if x.client == 7 and x.number == self.number) or got)
        return got[0]

value = struct("Value", type=uint8, bool_value=bool, integer_value=int64, double_value=float64, string_value=str,
    byte_array_value=sequence[byte], bool_array_value=sequence[bool], integer_array_value=sequence[int64],
    double_array_value=sequence[float64], string_array_value=sequence[str])
parameter = struct("Parameter", name=str, value=value)
result = struct("Result", successful=bool, reason=str)
floats = struct("Floats", from_value=float64, to_value=float64, step=float64)
ints = struct("Ints", from_value=int64, to_value=int64, step=uint64)
descriptor = struct("Descriptor", name=str, type=uint8, description=str, additional_constraints=str, read_only=bool,
    dynamic_typing=bool, floating_point_range=sequence[floats, 1], integer_range=sequence[ints, 1])
listed = struct("Listed", names=sequence[str], prefixes=sequence[str])
srv = lambda name, typ, request, response: Client("a/" + name, "rcl_interfaces::srv", typ, request, response)

def values(all):
    fields = [None, "bool", "integer", "double", "string", "byte_array", "bool_array", "integer_array",
        "double_array", "string_array"]
    return [v.type and (lambda x: list(x) if isinstance(x, (list, bytes)) else x)(
        getattr(v, fields[v.type] + "_value")) for v in all]

out = {}
names = srv("list_parameters", "ListParameters", {"prefixes": sequence[str], "depth": uint64}, {"result": listed}).call(
    [], 0).result.names
get = srv("get_parameters", "GetParameters", {"names": sequence[str]}, {"values": sequence[value]})
out["names"], out["values"] = names, values(get.call(names).values)
out["descriptors"] = [[d.name, d.type, d.description, d.read_only] for d in srv("describe_parameters",
    "DescribeParameters", {"names": sequence[str]}, {"descriptors": sequence[descriptor]}).call(names).descriptors]
put = srv("set_parameters", "SetParameters", {"parameters": sequence[parameter]}, {"results": sequence[result]})
double = lambda x: value(3, False, 0, x, "", [], [], [], [], [])
out["results"] = [[r.successful, r.reason] for r in put.call([parameter("speed", double(2.5)),
    parameter("speed", double(-1.0))]).results]
out["after"] = values(get.call(["speed"]).values)

time_type = struct("Time", sec=int32, nanosec=uint32)
uuid = struct("UUID", uuid=array[uint8, 16])
info = struct("Info", goal_id=uuid, stamp=time_type)
status = struct("Status", goal_info=info, status=int8)
goal = struct("Goal", steps=uint64)
code = struct("Code", result=uint8, error_message=str)
steps = struct("Steps", result=code)
progress = struct("Progress", completed_steps=uint64, remaining_steps=uint64)
act = lambda name, typ, request, response: Client("a/steps/_action/" + name, "simulation_interfaces::action",
    "SimulateSteps_" + typ, request, response)
feedback = DataReader(Subscriber(domain), Topic(domain, "rt/a/steps/_action/feedback",
    struct("simulation_interfaces::action::dds_::SimulateSteps_FeedbackMessage_", goal_id=uuid, feedback=progress)),
    qos=reliable)
states = DataReader(Subscriber(domain), Topic(domain, "rt/a/steps/_action/status",
    struct("action_msgs::msg::dds_::GoalStatusArray_", status_list=sequence[status])), qos=latched)
wait(feedback.get_matched_publications)
send = act("send_goal", "SendGoal", {"goal_id": uuid, "goal": goal}, {"accepted": bool, "stamp": time_type})
done = act("get_result", "GetResult", {"goal_id": uuid}, {"status": int8, "result": steps})
cancel = Client("a/steps/_action/cancel_goal", "action_msgs::srv", "CancelGoal", {"goal_info": info},
    {"return_code": int8, "goals_canceling": sequence[info]})
out["action"] = []
for n in (1, 3, 9):
    g = uuid([n] * 16)
    sent = send.call(g, goal(n))
    row = [sent.accepted, sent.stamp.sec]
    if n == 3:
        c = cancel.call(info(g, time_type(0, 0)))
        row += [c.return_code, len(c.goals_canceling)]
    r = done.call(g)
    out["action"].append(row + [r.status, r.result.result.result, r.result.result.error_message])
last = []
wait(lambda: [last.append([[x.goal_info.goal_id.uuid[0], x.status] for x in s.status_list]) for s in states.take(10)] and
    0 or last and last[-1] == [[1, 4], [3, 5]])
got = []
wait(lambda: got.extend([f.goal_id.uuid[15], f.feedback.completed_steps, f.feedback.remaining_steps]
    for f in feedback.take(10)) or len(got) >= 1)
out["feedback"] = got[0]
print(json.dumps(out))
`

// TestPythonClient uses CycloneDDS's own encoder and decoder as the oracle for parameters and actions.
func TestPythonClient(t *testing.T) {
	python := pypi.Python(t, pypi.CycloneDDS...)
	d := must.Domain(t)
	a := must.Get(open(t, Config{Domain: d}).NewNode("/a"))(t)
	must.Get(a.DeclareParam("speed", 1.0, ParamOptions{Description: "target", Set: func(v any) error {
		if v.(float64) < 0 {
			return errors.New("must not be negative")
		}
		return nil
	}}))(t)
	for i, v := range []any{true, int64(-1) << 40, "text", []byte{1, 255}, []bool{true, false}, []int64{-1, 1},
		[]float64{0.5}, []string{"a", "", "bcd"}} {
		must.Get(a.DeclareParam(fmt.Sprint("p", i), v, ParamOptions{}))(t)
	}
	serveSteps(t, a, nil)
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, python, "-c", cycloneClient, fmt.Sprint(d))
	cmd.Env, cmd.Stderr = append(os.Environ(), ddspeer.Setup{}.Environ()...), os.Stderr
	out, err := cmd.Output()
	must.Do(t, err)
	var got, want map[string]any
	must.Do(t, json.Unmarshal(out, &got))
	must.Do(t, json.Unmarshal([]byte(`{
		"names": ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "speed"],
		"values": [true, -1099511627776, "text", [1, 255], [true, false], [-1, 1], [0.5], ["a", "", "bcd"], 1],
		"descriptors": [["p0", 1, "", true], ["p1", 2, "", true], ["p2", 4, "", true], ["p3", 5, "", true],
			["p4", 6, "", true], ["p5", 7, "", true], ["p6", 8, "", true], ["p7", 9, "", true],
			["speed", 3, "target", false]],
		"results": [[true, ""], [false, "parameter speed = -1: must not be negative"]],
		"after": [2.5],
		"action": [[true, 1, 4, 7, "good"], [true, 2, 0, 1, 5, 8, "stopped"], [false, 3, 0, 0, ""]],
		"feedback": [1, 1, 1099511627776]
	}`), &want))
	for key, w := range want {
		must.Equal(t, got[key], w, "%s", key)
	}
}
