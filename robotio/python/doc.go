// Package python serves simulations to programs in Python. The Python package omnipitch, in the folder of the same
// name, starts `omnipitch serve-python` and is the only client.
//
// Requests and replies go through the pipes of stdin and stdout. A message is a line with a JSON object: see request
// and reply. The simulator answers requests in their order, one at a time. Only the request stop may come while another
// request runs: it ends the steps of that request. When stdin ends, the simulator ends.
//
// Observations and the true state go through memory that both processes map (see memory). A simulation has a table in
// this memory with a row for the true state and one for each sensor (see header). A row says where the arrays of the
// newest observation are. Numpy reads these arrays without a copy.
package python
