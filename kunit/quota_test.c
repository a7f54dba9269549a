// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits: the users' limit of errors, which those over it share, and
 * the users' workers. Accounts: who is accountable for a process.
 */
#include <linux/cred.h>
#include <linux/dma-fence.h>
#include <linux/user_namespace.h>

#include "fake.h"

#include "nvfifo_quota.h"

#define USERS		20
#define FIRST_UID	70000

/* Open the account of a file that another user has opened, in a user namespace. */
static struct nvfifo_quota *quota_in(struct kunit *test, struct nvfifo_device *ndev, u32 uid,
				     struct user_namespace *ns)
{
	struct user_namespace *own;
	struct nvfifo_quota *quota;
	const struct cred *old;
	struct cred *cred = prepare_creds();

	KUNIT_ASSERT_NOT_NULL(test, cred);

	own = cred->user_ns;
	cred->uid = KUIDT_INIT(uid);
	cred->user_ns = ns;
	old = override_creds(cred);
	quota = nvfifo_quota_create(ndev);
	revert_creds(old);
	cred->user_ns = own;
	put_cred(cred);
	KUNIT_ASSERT_NOT_NULL(test, quota);

	return quota;
}

static struct nvfifo_quota *quota_of(struct kunit *test, struct nvfifo_device *ndev, u32 uid)
{
	return quota_in(test, ndev, uid, &init_user_ns);
}

/* Let a user have channels with errors, each with work of 100 ms, which counts as 2 s. */
static void make_errors(struct nvfifo_quota *quota, u32 count)
{
	while (count--) {
		nvfifo_quota_error(quota);
		nvfifo_quota_error_work(quota, 100 * NSEC_PER_MSEC);
	}
}

/*
 * A user's first 8 s of errors are free. Beside 19 users over the limit the free part is 0.4 s, and
 * the same errors cost 20 times as much. A user who has left the limit counts no more.
 */
static void quota_errors(struct kunit *test)
{
	struct nvfifo_device *ndev = &nvfifo_test_card(test, 0x84)->ndev;
	struct nvfifo_quota *quotas[USERS], *alone;
	u64 before;
	u32 i;

	alone = quota_of(test, ndev, FIRST_UID + USERS);
	make_errors(alone, 3);
	KUNIT_EXPECT_EQ(test, nvfifo_quota_error_delay(alone), 0);
	before = nvfifo_quota_error_charge(alone);

	for (i = 0; i < USERS; i++)
		quotas[i] = quota_of(test, ndev, FIRST_UID + i);

	for (i = 1; i < USERS; i++)
		make_errors(quotas[i], 10);

	/* The debt is no longer than the longest wait. */
	KUNIT_EXPECT_LE(test, nvfifo_quota_error_delay(quotas[1]), 8000);
	KUNIT_EXPECT_GT(test, nvfifo_quota_error_delay(quotas[1]), 7000);
	KUNIT_EXPECT_EQ(test, nvfifo_quota_error_delay(quotas[0]), 0);
	make_errors(quotas[0], 1);
	KUNIT_EXPECT_GE(test, nvfifo_quota_error_charge(quotas[0]), 20 * before / 3);
	KUNIT_EXPECT_LE(test, nvfifo_quota_error_charge(quotas[0]), 20 * (before / 3 + 1));
	KUNIT_EXPECT_GT(test, nvfifo_quota_error_delay(quotas[0]), 7000);

	for (i = 0; i < USERS; i++)
		nvfifo_quota_put(quotas[i]);

	nvfifo_quota_put(alone);
}

/* Users who want four workers each, of 128 for all of them */
#define SLOT_USERS	40
#define SLOTS_EACH	4
#define FULL_USERS	(128 / SLOTS_EACH)

/* Let a user ask for workers for all of its jobs. Return: the number that it gets. */
static u32 take_slots(struct kunit *test, struct nvfifo_quota *quota, struct nvfifo_slot *slots)
{
	struct dma_fence *wait;
	u32 i, taken = 0;

	for (i = 0; i < SLOTS_EACH; i++) {
		KUNIT_ASSERT_EQ(test, nvfifo_slot_init(&slots[i]), 0);
		wait = nvfifo_slot_take(quota, &slots[i]);
		taken += !wait;
		dma_fence_put(wait);
	}

	return taken;
}

/*
 * The users get four workers each until 128 are taken, and then one each. A worker that is given
 * back goes to the user's next job.
 */
static void quota_slots(struct kunit *test)
{
	struct nvfifo_device *ndev = &nvfifo_test_card(test, 0x84)->ndev;
	struct nvfifo_quota *quotas[SLOT_USERS];
	struct nvfifo_slot *slots;
	u32 i, k;

	slots = kunit_kcalloc(test, SLOT_USERS * SLOTS_EACH, sizeof(*slots), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, slots);

	for (i = 0; i < SLOT_USERS; i++) {
		u32 want = i < FULL_USERS ? SLOTS_EACH : 1;

		quotas[i] = quota_of(test, ndev, FIRST_UID + i);
		KUNIT_EXPECT_EQ_MSG(test, take_slots(test, quotas[i], &slots[i * SLOTS_EACH]), want,
				    "user %u", i);
	}

	i = FULL_USERS * SLOTS_EACH;
	KUNIT_EXPECT_FALSE(test, slots[i + 1].held);
	nvfifo_slot_give(quotas[FULL_USERS], &slots[i]);
	KUNIT_EXPECT_TRUE(test, slots[i + 1].held);
	KUNIT_EXPECT_FALSE(test, slots[i + 2].held);

	for (i = 0; i < SLOT_USERS; i++)
		for (k = 0; k < SLOTS_EACH; k++)
			nvfifo_slot_fini(quotas[i], &slots[i * SLOTS_EACH + k]);

	/* All are free again. */
	KUNIT_EXPECT_EQ(test, take_slots(test, quotas[SLOT_USERS - 1], slots), SLOTS_EACH);

	for (k = 0; k < SLOTS_EACH; k++)
		nvfifo_slot_fini(quotas[SLOT_USERS - 1], &slots[k]);

	for (i = 0; i < SLOT_USERS; i++)
		nvfifo_quota_put(quotas[i]);
}

/* A user namespace, of which the driver reads no more than this */
static struct user_namespace *namespace_of(struct kunit *test, struct user_namespace *parent,
					   u32 owner)
{
	struct user_namespace *ns = kunit_kzalloc(test, sizeof(*ns), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ns);

	ns->parent = parent;
	ns->level = parent->level + 1;
	ns->owner = KUIDT_INIT(owner);

	return ns;
}

/* Is a file of a user in a namespace on the account of another user? */
static bool is_account_of(struct kunit *test, struct nvfifo_device *ndev, u32 uid,
			  struct user_namespace *ns, u32 other)
{
	struct nvfifo_quota *theirs = quota_of(test, ndev, other);
	struct nvfifo_quota *quota = quota_in(test, ndev, uid, ns);
	bool same = nvfifo_quota_user(quota) == nvfifo_quota_user(theirs);

	nvfifo_quota_put(quota);
	nvfifo_quota_put(theirs);

	return same;
}

/*
 * The owner of the outermost user namespace is accountable for the users in it. If root made it,
 * they are different persons.
 */
static void quota_namespaces(struct kunit *test)
{
	struct nvfifo_device *ndev = &nvfifo_test_card(test, 0x84)->ndev;
	struct user_namespace *own = namespace_of(test, &init_user_ns, 1000);
	struct user_namespace *inner = namespace_of(test, own, 100000);
	struct user_namespace *roots = namespace_of(test, &init_user_ns, 0);
	struct user_namespace *in_roots = namespace_of(test, roots, 200007);

	KUNIT_EXPECT_TRUE(test, is_account_of(test, ndev, 1000, &init_user_ns, 1000));
	KUNIT_EXPECT_TRUE(test, is_account_of(test, ndev, 100000, own, 1000));
	KUNIT_EXPECT_TRUE(test, is_account_of(test, ndev, 100001, own, 1000));
	KUNIT_EXPECT_TRUE(test, is_account_of(test, ndev, 100001, inner, 1000));
	KUNIT_EXPECT_TRUE(test, is_account_of(test, ndev, 200007, roots, 200007));
	KUNIT_EXPECT_FALSE(test, is_account_of(test, ndev, 200008, roots, 200007));
	KUNIT_EXPECT_TRUE(test, is_account_of(test, ndev, 200008, in_roots, 200007));
}

static struct kunit_case quota_cases[] = {
	KUNIT_CASE(quota_namespaces),
	KUNIT_CASE(quota_slots),
	KUNIT_CASE(quota_errors),
	{}
};

static struct kunit_suite quota_suite = {
	.name = "nvfifo_quota",
	.test_cases = quota_cases,
};

kunit_test_suites(&quota_suite);
