// cyclone is a CycloneDDS peer for tests: it publishes or subscribes to topics of one type, a string and bytes.
//
//	cyclone sub DOMAIN RELIABLE TRANSIENT TOPICS          prints a line for each sample
//	cyclone count DOMAIN RELIABLE TRANSIENT TOPICS        prints a summary when no sample has come for a second
//	cyclone pub DOMAIN RELIABLE TRANSIENT TOPICS SIZE COUNT
//	cyclone call DOMAIN RELIABLE TRANSIENT 1 SIZE COUNT   calls the service /blob0 in the dialect of rmw_cyclonedds
//	cyclone serve DOMAIN RELIABLE TRANSIENT 1             serves it, with answers equal to the requests
//	cyclone echo DOMAIN RELIABLE TRANSIENT DATA [TOPIC TYPE FORMAT]...
//
// The topics are rt/blob0, rt/blob1, and so on. With "echo", the program decodes the samples of topics and publishes
// them again on topics with the suffix _back, with user data DATA for all endpoints. A format lists the fields of a
// type: b, i and d are numbers of 1, 4 and 8 bytes, s is a string, a number in front gives the length of an array, and
// (...) is a sequence. "pub" publishes at 500 Hz, or at DDSPEER_RATE of the environment; 0 is without pauses.
#include <ctype.h>
#include <dds/dds.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
	char *text;
	struct {
		uint32_t max, length;
		uint8_t *buffer;
		bool release;
	} data;
} Blob;

static const uint32_t ops[] = {
	DDS_OP_ADR | DDS_OP_TYPE_STR, offsetof(Blob, text),
	DDS_OP_ADR | DDS_OP_TYPE_SEQ | DDS_OP_SUBTYPE_1BY, offsetof(Blob, data),
	DDS_OP_RTS,
};

static const dds_topic_descriptor_t blob = {
	.m_size = sizeof(Blob), .m_align = sizeof(char *), .m_typename = "test::msg::dds_::Blob_",
	.m_nops = 3, .m_ops = ops, .m_meta = "",
};

// Call is a request or an answer of a service.
typedef struct {
	uint64_t client;
	int64_t number;
	Blob blob;
} Call;

static const uint32_t call_ops[] = {
	DDS_OP_ADR | DDS_OP_TYPE_8BY, offsetof(Call, client),
	DDS_OP_ADR | DDS_OP_TYPE_8BY, offsetof(Call, number),
	DDS_OP_ADR | DDS_OP_TYPE_STR, offsetof(Call, blob.text),
	DDS_OP_ADR | DDS_OP_TYPE_SEQ | DDS_OP_SUBTYPE_1BY, offsetof(Call, blob.data),
	DDS_OP_RTS,
};

static const dds_topic_descriptor_t request = {
	.m_size = sizeof(Call), .m_align = sizeof(char *), .m_typename = "test::srv::dds_::Blob_Request_",
	.m_nops = 5, .m_ops = call_ops, .m_meta = "",
}, response = {
	.m_size = sizeof(Call), .m_align = sizeof(char *), .m_typename = "test::srv::dds_::Blob_Response_",
	.m_nops = 5, .m_ops = call_ops, .m_meta = "",
};

enum { most = 32, most_ops = 400 };
static dds_entity_t ends[most];
static int received;
static int64_t latency[1 << 20];

static int ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

static dds_entity_t check(dds_entity_t e, const char *what)
{
	if (e < 0) {
		fprintf(stderr, "%s: %s\n", what, dds_strretcode(-e));
		exit(1);
	}
	return e;
}

static void take(dds_entity_t reader, bool print)
{
	void *samples[8] = {0};
	dds_sample_info_t info[8];
	int n = dds_take(reader, samples, info, 8, 8);
	int64_t now = dds_time();
	for (int i = 0; i < n; i++) {
		Blob *b = samples[i];
		if (!info[i].valid_data)
			continue;
		uint32_t sum = 0;
		if (print) {
			for (uint32_t k = 0; k < b->data.length; k++)
				sum = sum * 31 + b->data.buffer[k];
			printf("got %s %u %u %" PRId64 "\n", b->text, b->data.length, sum, info[i].source_timestamp);
		}
		if (received < 1 << 20)
			latency[received++] = now - info[i].source_timestamp;
	}
	if (n > 0)
		dds_return_loan(reader, samples, n);
}

static void subscribe(int topics, bool print)
{
	dds_entity_t set = check(dds_create_waitset(DDS_CYCLONEDDS_HANDLE), "waitset");
	for (int i = 0; i < topics; i++) {
		dds_set_status_mask(ends[i], DDS_DATA_AVAILABLE_STATUS);
		check(dds_waitset_attach(set, ends[i], i), "attach");
	}
	int64_t first = 0, last = 0;
	for (;;) {
		dds_attach_t which[most];
		int before = received;
		int n = dds_waitset_wait(set, which, most, DDS_MSECS(1000));
		for (int i = 0; i < n; i++)
			take(ends[which[i]], print);
		if (before == 0 && received > 0)
			first = dds_time();
		if (received > before)
			last = dds_time();
		if (n == 0 && received > 0 && !print) {
			qsort(latency, received, sizeof latency[0], ascending);
			printf("received %d in %.3f s, latency %.3f %.3f ms\n", received, (last - first) / 1e9,
			       latency[received / 2] / 1e6, latency[received * 99 / 100] / 1e6);
			received = 0;
		}
	}
}

static void publish(int topics, uint32_t size, int count)
{
	Blob b = {.data = {.length = size, .max = size, .buffer = malloc(size + 1)}};
	char text[32];
	b.text = text;
	for (uint32_t k = 0; k < size; k++)
		b.data.buffer[k] = k * 7;
	for (int i = 0; i < topics; i++)
		for (dds_publication_matched_status_t s = {0}; s.current_count == 0; dds_sleepfor(DDS_MSECS(5)))
			dds_get_publication_matched_status(ends[i], &s);
	const char *env = getenv("DDSPEER_RATE");
	double rate = env ? atof(env) : 500;
	int64_t start = dds_time();
	for (int n = 0; n < count; n++) {
		snprintf(text, sizeof text, "n%d", n);
		for (int i = 0; i < topics; i++)
			check(dds_write(ends[i], &b), "write");
		if (rate > 0)
			dds_sleepfor(start + (int64_t)((n + 1) * 1e9 / rate) - dds_time());
	}
	printf("published\n");
	dds_sleepfor(DDS_SECS(600));
}

static void await_readers(dds_entity_t writer)
{
	for (dds_publication_matched_status_t s = {0}; s.current_count == 0; dds_sleepfor(DDS_MSECS(1)))
		dds_get_publication_matched_status(writer, &s);
}

// next waits for a request or an answer.
static Call *next(dds_entity_t reader)
{
	static void *sample;
	for (;;) {
		dds_sample_info_t info;
		if (sample != NULL)
			dds_return_loan(reader, &sample, 1);
		sample = NULL;
		if (dds_take(reader, &sample, &info, 1, 1) > 0 && info.valid_data)
			return sample;
		dds_sleepfor(DDS_MSECS(1));
	}
}

static void serve(dds_entity_t reader, dds_entity_t writer)
{
	for (;;) {
		Call *c = next(reader);
		await_readers(writer);
		check(dds_write(writer, c), "write");
	}
}

static void call(dds_entity_t reader, dds_entity_t writer, uint32_t size, int count)
{
	char text[32];
	Call c = {.client = getpid(), .blob = {.text = text, .data = {.length = size, .max = size}}};
	c.blob.data.buffer = malloc(size + 1);
	for (uint32_t k = 0; k < size; k++)
		c.blob.data.buffer[k] = k * 7;
	await_readers(writer);
	for (dds_subscription_matched_status_t s = {0}; s.current_count == 0; dds_sleepfor(DDS_MSECS(1)))
		dds_get_subscription_matched_status(reader, &s);
	for (int n = 0; n < count; n++) {
		snprintf(text, sizeof text, "n%d", n);
		c.number = n + 1;
		check(dds_write(writer, &c), "write");
		Call *answer = next(reader);
		printf("answer %s %u for %d of %s\n", answer->blob.text, answer->blob.data.length, (int)answer->number,
		       answer->client == c.client ? "mine" : "another");
	}
	printf("done\n");
	dds_sleepfor(DDS_SECS(600));
}

// compile appends CycloneDDS's instructions for a format, up to its end or the end of the sequence, and returns where
// that is. *size is the size of the struct.
static const char *compile(const char *f, uint32_t *ops, int *n, size_t *size)
{
	size_t at = 0;
	for (; *f && *f != ')'; f++) {
		uint32_t count = 0;
		while (isdigit(*f))
			count = count * 10 + *f++ - '0';
		bool sequence = *f == '(';
		if (sequence)
			f++;
		bool plain = !sequence || f[1] == ')';
		uint32_t kind = *f == 'b' ? DDS_OP_VAL_1BY : *f == 'i' ? DDS_OP_VAL_4BY :
			*f == 'd' ? DDS_OP_VAL_8BY : DDS_OP_VAL_STR;
		size_t each = sequence || *f == 'd' || *f == 's' ? 8 : *f == 'b' ? 1 : 4;
		at = (at + each - 1) / each * each;
		int start = *n;
		*n += 2;
		ops[start + 1] = at;
		if (sequence && plain) {
			ops[start] = DDS_OP_ADR | DDS_OP_TYPE_SEQ | kind << 8;
			f++;
		} else if (sequence) {
			ops[start] = DDS_OP_ADR | DDS_OP_TYPE_SEQ | DDS_OP_SUBTYPE_STU;
			*n += 2;
			size_t element;
			f = compile(f, ops, n, &element);
			ops[start + 2] = element;
			ops[start + 3] = (uint32_t)(*n - start) << 16 | 4;
		} else if (count > 0) {
			ops[start] = DDS_OP_ADR | DDS_OP_TYPE_ARR | kind << 8;
			ops[(*n)++] = count;
		} else {
			ops[start] = DDS_OP_ADR | kind << 16;
		}
		at += sequence ? sizeof(dds_sequence_t) : each * (count > 0 ? count : 1);
	}
	ops[(*n)++] = DDS_OP_RTS;
	*size = (at + 7) / 8 * 8;
	return f;
}

static void echo(dds_entity_t p, dds_qos_t *q, bool waits, int types, char **type)
{
	static uint32_t all_ops[most][most_ops];
	static dds_topic_descriptor_t all[most];
	static dds_entity_t writers[most];
	for (int i = 0; i < types && i < most; i++) {
		int n = 0;
		size_t size;
		compile(type[3 * i + 2], all_ops[i], &n, &size);
		dds_topic_descriptor_t d = {.m_size = size, .m_align = 8, .m_typename = type[3 * i + 1], .m_nops = n,
			.m_ops = all_ops[i], .m_meta = ""};
		memcpy(&all[i], &d, sizeof d);
		char back[300];
		snprintf(back, sizeof back, "%s_back", type[3 * i]);
		ends[i] = check(dds_create_reader(p, check(dds_create_topic(p, &all[i], type[3 * i], NULL, NULL), "topic"), q,
			NULL), "reader");
		writers[i] = check(dds_create_writer(p, check(dds_create_topic(p, &all[i], back, NULL, NULL), "topic"), q,
			NULL), "writer");
	}
	printf("ready\n");
	for (;; dds_sleepfor(DDS_MSECS(1))) {
		for (int i = 0; i < types && i < most; i++) {
			dds_sample_info_t info;
			void *sample = NULL;
			if (dds_take(ends[i], &sample, &info, 1, 1) < 1)
				continue;
			if (info.valid_data) {
				if (waits)
					await_readers(writers[i]);
				check(dds_write(writers[i], sample), "write");
				printf("echoed %s\n", type[3 * i]);
			}
			dds_return_loan(ends[i], &sample, 1);
		}
	}
}

int main(int argc, char **argv)
{
	if (argc < 6)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	bool writes = strcmp(argv[1], "pub") == 0;
	int topics = atoi(argv[5]);
	dds_entity_t p = check(dds_create_participant(atoi(argv[2]), NULL, NULL), "participant");
	dds_qos_t *q = dds_create_qos();
	dds_qset_reliability(q, atoi(argv[3]) ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT, DDS_MSECS(100));
	dds_qset_durability(q, atoi(argv[4]) ? DDS_DURABILITY_TRANSIENT_LOCAL : DDS_DURABILITY_VOLATILE);
	dds_qset_history(q, DDS_HISTORY_KEEP_LAST, 100);
	if (strcmp(argv[1], "echo") == 0) {
		dds_qset_userdata(q, argv[5], strlen(argv[5]));
		echo(p, q, atoi(argv[3]) && !atoi(argv[4]), (argc - 6) / 3, argv + 6);
	}
	bool serves = strcmp(argv[1], "serve") == 0;
	if (serves || strcmp(argv[1], "call") == 0) {
		dds_entity_t requests = check(dds_create_topic(p, &request, "rq/blob0Request", NULL, NULL), "topic");
		dds_entity_t answers = check(dds_create_topic(p, &response, "rr/blob0Reply", NULL, NULL), "topic");
		dds_entity_t reader = check(dds_create_reader(p, serves ? requests : answers, q, NULL), "reader");
		dds_entity_t writer = check(dds_create_writer(p, serves ? answers : requests, q, NULL), "writer");
		if (serves)
			serve(reader, writer);
		call(reader, writer, argc > 6 ? atoi(argv[6]) : 10, argc > 7 ? atoi(argv[7]) : 1);
	}
	for (int i = 0; i < topics && i < most; i++) {
		char name[32];
		snprintf(name, sizeof name, "rt/blob%d", i);
		dds_entity_t t = check(dds_create_topic(p, &blob, name, NULL, NULL), "topic");
		ends[i] = check(writes ? dds_create_writer(p, t, q, NULL) : dds_create_reader(p, t, q, NULL), "endpoint");
	}
	printf("ready\n");
	if (writes)
		publish(topics, argc > 6 ? atoi(argv[6]) : 10, argc > 7 ? atoi(argv[7]) : 1);
	else
		subscribe(topics, strcmp(argv[1], "sub") == 0);
}
